import { type AttentionTemplateV1, parseYaml, type SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { whileUnchanged } from "#core/machine";
import { err, type Files, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { Framework } from "#governance";

export interface TemplateSources {
  /** Where frameworks lie: the workspace first, then what Writ ships. */
  readonly roots: readonly string[];
  readonly files: Files;
  readonly schemas: SchemaRegistry;
}

export interface LoadedTemplate extends AttentionTemplateV1 {
  readonly hash: Sha256;
}

/** As much of a framework as names its templates. */
export interface AttentionFramework extends Pick<Framework, "folder"> {
  readonly manifest: Pick<Framework["manifest"], "attention_templates">;
}

export type LoadTemplates = (framework: AttentionFramework) => Promise<Result<readonly LoadedTemplate[]>>;

/** Reads the templates that a framework names. Files are looked at each time, so that an edit counts at once; parsing is kept by hash. */
export function templateLoader(sources: TemplateSources): LoadTemplates {
  const parsed = new Map<Sha256, LoadedTemplate>();
  const kept = whileUnchanged<readonly LoadedTemplate[]>(sources.files);
  const read = async (framework: AttentionFramework, files: Files): ReturnType<LoadTemplates> => {
    const templates: LoadedTemplate[] = [];
    for (const id of framework.manifest.attention_templates ?? []) {
      const path = `${framework.folder}/attention_templates/${id}.yaml`;
      const text = await readFirst({ ...sources, files }, path);
      if (!text.ok) return text;
      const hash = sha256(text.value);
      const template = parsed.get(hash) ?? parseTemplate(sources.schemas, { path, id, text: text.value, hash });
      if ("ok" in template) {
        if (!template.ok) return template;
        parsed.set(hash, template.value);
        templates.push(template.value);
      } else templates.push(template);
    }
    return ok(templates);
  };
  return (framework) => {
    const { folder, manifest } = framework;
    return kept([folder, ...(manifest.attention_templates ?? [])].join("\n"), (files) => read(framework, files));
  };
}

async function readFirst({ roots, files }: TemplateSources, path: string): Promise<Result<string>> {
  for (const root of roots) {
    const text = await files.readText(`${root}/${path}`);
    if (text.ok || text.error.code !== "NOT_FOUND") return text;
  }
  return err(domainError("CONFIG_INVALID", `the framework names an attention template that is missing: ${path}`));
}

/** A template as it lies there, and the id by which the framework names it. */
interface TemplateFile {
  readonly path: string;
  readonly id: string;
  readonly text: string;
  readonly hash: Sha256;
}

function parseTemplate(schemas: SchemaRegistry, { path, id, text, hash }: TemplateFile): Result<LoadedTemplate> {
  const document = parseYaml(text);
  if (!document.ok) return err(domainError("CONFIG_INVALID", `${path}: ${document.error.message}`));
  const template = schemas.validate("attention_template_v1", document.value);
  if (!template.ok)
    return err(
      domainError("CONFIG_INVALID", `${path}: ${template.error.message}`, { details: template.error.details }),
    );
  if (template.value.template_id !== id)
    return err(domainError("CONFIG_INVALID", `${path} holds ${template.value.template_id}, expected ${id}`));
  return ok({ ...template.value, hash });
}
