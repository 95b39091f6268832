import { defaultUsage, frame, pieces, type Said, type WireFormat } from "./wire-format.ts";

const reasons = {
  stop: "STOP",
  tool: "STOP",
  length: "MAX_TOKENS",
  safety: "SAFETY",
  unknown: "MOON_PHASE",
  malformed_call: "MALFORMED_FUNCTION_CALL",
};

function usageOf(said: Said) {
  if (said.usage === null) return undefined;
  const { input, output, cached } = said.usage ?? defaultUsage;
  return {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
  };
}

function callParts(said: Said): readonly object[] {
  return (said.calls ?? []).map(({ name, input }) => ({
    functionCall: { name, args: JSON.parse(input) as unknown },
    ...(said.sealedReasoning === undefined ? {} : { thoughtSignature: said.sealedReasoning }),
  }));
}

function thoughts(said: Said): readonly object[] {
  return said.reasoning === undefined ? [] : [{ text: said.reasoning, thought: true }];
}

/** Google's generateContent. It gives calls no ids and says STOP beside them. */
export const googleFormat: WireFormat = {
  keyHeader: "x-goog-api-key",
  keepAlive: ": still here\n\n",
  isStream: (path) => path.includes(":streamGenerateContent"),
  document: (said) => ({
    candidates: [
      {
        index: 0,
        content: {
          role: "model",
          parts: [...thoughts(said), ...(said.text === undefined ? [] : [{ text: said.text }]), ...callParts(said)],
        },
        finishReason: reasons[said.finish ?? "stop"],
      },
    ],
    usageMetadata: usageOf(said),
    modelVersion: "gemini-test",
  }),
  frames(said) {
    const chunk = (parts: readonly object[], finishReason?: string) => ({
      candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
      modelVersion: "gemini-test",
    });
    return [
      ...thoughts(said).map((part) => frame(chunk([part]))),
      ...pieces(said.text ?? "").map((text) => frame(chunk([{ text }]))),
      ...callParts(said).map((part) => frame(chunk([part]))),
      frame({ ...chunk([{ text: "" }], reasons[said.finish ?? "stop"]), usageMetadata: usageOf(said) }),
    ];
  },
  error: (status, message, type = "INVALID_ARGUMENT") => ({ error: { code: status, message, status: type } }),
};
