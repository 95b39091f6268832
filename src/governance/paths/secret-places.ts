import { type NamedPlace, places } from "./named-place.ts";

const why = "it holds secrets";

/** What was protected from the first release on: the history of a workspace is judged by these. */
export const firstSecretPlaces: readonly NamedPlace[] = [
  ...places("root", why, "keys"),
  ...places("anywhere", why, ".env* .ssh .gnupg .aws .netrc .git-credentials .npmrc"),
  ...places("anywhere", why, "*.pem *.key *.p12 *.pfx id_rsa* id_ed25519* id_ecdsa*"),
];

/** Files and folders in which people keep keys, passwords and tokens. No agent reads or writes them, whatever is granted. */
export const secretPlaces: readonly NamedPlace[] = [
  ...firstSecretPlaces,
  // Settings of a service, with its passwords.
  ...places(
    "anywhere",
    why,
    "*.env .dev.vars .secret .secrets .secret.* *.secrets secrets.y*ml secrets.json secrets.toml",
  ),
  ...places("anywhere", why, "credentials.json .credentials* credentials.y*ml credentials.toml credentials.csv"),
  ...places(
    "anywhere",
    why,
    "token.json .token .tokens *_token.txt *-token.txt .vault-token .vault-pass* .vault_pass*",
  ),
  // Keys and certificates.
  ...places("anywhere", why, "*.pkcs12 *.p8 *.jks *.keystore *.ppk *.agekey *.keytab *.ovpn id_dsa*"),
  ...places("anywhere", why, "*.kdbx *.kdb .password-store wallet.dat"),
  // Databases.
  ...places("anywhere", why, ".pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf .mongorc.js .dbshell"),
  ...places("anywhere", why, ".snowsql .databrickscfg"),
  // Registries of packages, and hosts of code.
  ...places("anywhere", why, ".yarnrc* .pypirc _netrc .gem/credentials .cargo/credentials*"),
  ...places("anywhere", why, ".m2/settings*.xml .gradle/gradle.properties .composer/auth.json .codex/auth.json"),
  ...places("anywhere", why, ".nuget/nuget.config .bundle/config .config/gh .config/hub .config/glab-cli"),
  // Clouds, clusters and what provisions them.
  ...places("anywhere", why, ".oci .aliyun .boto .s3cfg .config/gcloud .config/doctl rclone.conf .config/rclone"),
  ...places("anywhere", why, ".azure/accesstokens.json .azure/azureprofile.json .azure/msal_token_cache*"),
  ...places("anywhere", why, "*service-account*.json *service_account*.json *serviceaccount*.json"),
  ...places("anywhere", why, "*firebase-adminsdk*.json application_default_credentials.json client_secret*.json"),
  ...places("anywhere", why, "gha-creds-*.json *.publishsettings .kube kubeconfig* *.kubeconfig"),
  ...places("anywhere", why, ".docker/config.json .dockercfg .dockerconfigjson .config/containers/auth.json"),
  ...places("anywhere", why, "*.tfstate *.tfstate.* *.tfvars *.tfvars.json .terraform .terraformrc terraform.rc"),
  ...places("anywhere", why, ".terraform.d .pulumi .config/sops .ansible_vault* .chef .fly .heroku .config/op"),
  // Passwords of servers and of mail, and what was typed with them.
  ...places("anywhere", why, ".htpasswd .htdigest etc/shadow .smbcredentials .msmtprc .fetchmailrc .vnc"),
  ...places("anywhere", why, ".*_history .lesshst .streamlit/secrets.toml"),
  ...places("anywhere", why, ".authinfo* .wgetrc .curlrc .subversion/auth .sentryclirc .ngrok2 .config/ngrok .hgrc"),
  // Settings of frameworks and editors in which passwords usually stand.
  ...places("anywhere", why, "wp-config.php local.settings.json .ftpconfig sftp.json"),
  ...places("anywhere", why, "passwords.txt passwords.csv password.txt *.mobileprovision wg0.conf wg1.conf"),
  ...places("root", why, "auth.json"),
];
