/** One vendor's credentials; `digit` asks for a digit where words could be taken for a credential. */
interface Vendor {
  readonly kind: string;
  /** Without capture groups; the only unbounded repetition is the last part, so that a scan is linear. */
  readonly pattern: string;
  readonly digit?: true;
}

/** The first that matches wins, so the longer prefix of two stands first. */
const VENDORS: readonly Vendor[] = [
  { kind: "github", pattern: "gh[pousr]_[A-Za-z0-9]{30,}" },
  { kind: "github", pattern: "github_pat_[A-Za-z0-9_]{22,}" },
  {
    kind: "gitlab",
    pattern: "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{16,}",
  },
  { kind: "slack", pattern: "xox[abceoprs](?:\\.xox[abp])?-[A-Za-z0-9-]{10,}" },
  { kind: "slack", pattern: "xapp-\\d-[A-Za-z0-9-]{10,}" },
  {
    kind: "slack",
    pattern: "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,}",
  },
  { kind: "discord", pattern: "discord(?:app)?\\.com/api/webhooks/\\d{15,22}/[A-Za-z0-9_-]{40,}" },
  { kind: "discord", pattern: "[MNO][A-Za-z0-9_-]{22,28}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}" },
  { kind: "stripe", pattern: "(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}" },
  { kind: "stripe", pattern: "whsec_[A-Za-z0-9+/=]{20,}" },
  { kind: "anthropic", pattern: "sk-ant-[A-Za-z0-9_-]{16,}" },
  { kind: "openrouter", pattern: "sk-or-v1-[A-Za-z0-9]{32,}" },
  { kind: "langfuse", pattern: "sk-lf-[A-Za-z0-9-]{30,}" },
  { kind: "openai", pattern: "sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{16,}", digit: true },
  {
    kind: "aws",
    pattern: "(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|ANVA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  },
  { kind: "aws", pattern: "ABSK[A-Za-z0-9+/=]{100,}" },
  { kind: "google", pattern: "AIza[A-Za-z0-9_-]{30,}" },
  { kind: "google", pattern: "ya29\\.[A-Za-z0-9_-]{20,}" },
  { kind: "google", pattern: "GOCSPX-[A-Za-z0-9_-]{20,}" },
  { kind: "google", pattern: "1//0[A-Za-z0-9_-]{30,}" },
  { kind: "npm", pattern: "npm_[A-Za-z0-9]{30,}" },
  { kind: "pypi", pattern: "pypi-[A-Za-z0-9_-]{40,}" },
  { kind: "rubygems", pattern: "rubygems_[0-9a-f]{40,}" },
  { kind: "crates", pattern: "cio[A-Za-z0-9]{32}(?![A-Za-z0-9])" },
  { kind: "sendgrid", pattern: "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,}" },
  { kind: "twilio", pattern: "(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])" },
  { kind: "shopify", pattern: "shp(?:at|ca|pa|ss|tka|ua)_[A-Fa-f0-9]{32,}" },
  { kind: "huggingface", pattern: "(?:hf_|api_org_)[A-Za-z0-9]{30,}" },
  { kind: "linear", pattern: "lin_(?:api|oauth)_[A-Za-z0-9]{32,}" },
  { kind: "notion", pattern: "(?:secret_|ntn_)[A-Za-z0-9]{40,}" },
  { kind: "digitalocean", pattern: "do[opr]_v1_[a-f0-9]{40,}" },
  { kind: "mailgun", pattern: "(?:key|pubkey)-[0-9a-f]{32}(?![A-Za-z0-9])" },
  { kind: "mailchimp", pattern: "[0-9a-f]{32}-us\\d{1,2}(?![A-Za-z0-9])" },
  { kind: "brevo", pattern: "xkeysib-[0-9a-f]{40,}" },
  { kind: "resend", pattern: "re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}" },
  { kind: "telegram", pattern: "\\d{8,10}:AA[A-Za-z0-9_-]{32,}" },
  { kind: "square", pattern: "sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}" },
  { kind: "square", pattern: "EAAA[A-Za-z0-9_-]{56,}" },
  { kind: "facebook", pattern: "EAA[A-Za-z0-9]{60,}" },
  { kind: "databricks", pattern: "dapi[0-9a-f]{32}(?:-\\d)?(?![A-Za-z0-9])" },
  { kind: "vault", pattern: "hv[sbr]\\.[A-Za-z0-9_-]{20,}" },
  { kind: "terraform", pattern: "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{40,}" },
  { kind: "doppler", pattern: "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9]{32,}" },
  { kind: "planetscale", pattern: "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}" },
  { kind: "supabase", pattern: "(?:sbp_[0-9a-f]{40,}|sb_secret_[A-Za-z0-9_-]{16,})" },
  { kind: "postman", pattern: "PMAK-[0-9a-f]{24}-[0-9a-f]{34}" },
  { kind: "newrelic", pattern: "NR(?:AK|JS|II)-[A-Za-z0-9_-]{18,}" },
  { kind: "grafana", pattern: "glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}" },
  { kind: "grafana", pattern: "glc_[A-Za-z0-9+/=]{32,}" },
  { kind: "sentry", pattern: "sntry[su]_[A-Za-z0-9+/=_]{32,}" },
  { kind: "airtable", pattern: "pat[A-Za-z0-9]{14}\\.[0-9a-f]{40,}" },
  { kind: "atlassian", pattern: "AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{24,}" },
  { kind: "figma", pattern: "fig[dor]_[A-Za-z0-9_-]{36,}" },
  { kind: "dropbox", pattern: "sl\\.(?:u\\.)?[A-Za-z0-9_-]{100,}" },
  { kind: "docker", pattern: "dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}" },
  { kind: "heroku", pattern: "HRKU-[A-Za-z0-9_-]{30,}" },
  { kind: "replicate", pattern: "r8_[A-Za-z0-9]{30,}" },
  { kind: "groq", pattern: "gsk_[A-Za-z0-9]{40,}" },
  { kind: "perplexity", pattern: "pplx-[A-Za-z0-9]{40,}" },
  { kind: "xai", pattern: "xai-[A-Za-z0-9]{60,}" },
  { kind: "nvidia", pattern: "nvapi-[A-Za-z0-9_-]{50,}" },
  { kind: "langsmith", pattern: "ls(?:v2_(?:pt|sk)|__)_?[0-9a-f]{32}(?:_[0-9a-f]{10})?" },
  { kind: "tavily", pattern: "tvly-[A-Za-z0-9-]{20,}", digit: true },
  { kind: "pinecone", pattern: "pcsk_[A-Za-z0-9_]{40,}" },
  { kind: "elevenlabs", pattern: "sk_[0-9a-f]{40,}" },
  { kind: "firecrawl", pattern: "fc-[0-9a-f]{32}(?![A-Za-z0-9])" },
  { kind: "posthog", pattern: "ph[cx]_[A-Za-z0-9]{32,}" },
  { kind: "mapbox", pattern: "[ps]k\\.eyJ[A-Za-z0-9_-]{20,}\\.[A-Za-z0-9_-]{16,}" },
  { kind: "contentful", pattern: "CFPAT-[A-Za-z0-9_-]{40,}" },
  { kind: "plaid", pattern: "access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}" },
  { kind: "hubspot", pattern: "pat-(?:na|eu)\\d-[0-9a-f]{8}-[0-9a-f-]{27}" },
  { kind: "asana", pattern: "[12]/\\d{16}:[0-9a-f]{32}" },
  { kind: "alibaba", pattern: "LTAI[A-Za-z0-9]{16,}" },
  { kind: "age", pattern: "AGE-SECRET-KEY-1[A-Z0-9]{50,}" },
  { kind: "azure", pattern: "[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,}" },
  { kind: "jwt", pattern: "eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*){1,3}" },
];

/**
 * A credential starts at the start of a word. An escape (`\n`, `%3D`, `\u0022`) ends with letters or digits and yet stands
 * before a word, in JSON that is inside a string and in URLs.
 */
const WORD_START = "(?<=^|[^A-Za-z0-9]|\\\\[nrtbf]|%[0-9A-Fa-f]{2}|\\\\u[0-9A-Fa-f]{4})";

const ALTERNATIVES = VENDORS.map(({ pattern }) => `(${pattern})`).join("|");
/** Cheap to try: one pass, and no capture. */
const ANY = new RegExp(`${WORD_START}(?:${VENDORS.map(({ pattern }) => pattern).join("|")})`, "u");
const EACH = new RegExp(`${WORD_START}(?:${ALTERNATIVES})`, "gu");

/** A place in a text with the kind of secret that is there. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** Adds the credentials of known vendors, and JSON Web Tokens. */
export function findVendorSecrets(text: string, found: Found[]): void {
  if (!ANY.test(text)) return;
  for (const match of text.matchAll(EACH)) {
    const vendor = VENDORS[match.slice(1).findIndex((group) => group !== undefined)];
    const [secret] = match;
    if (vendor === undefined || (vendor.digit === true && !/\d/u.test(secret))) continue;
    found.push({ start: match.index, end: match.index + secret.length, kind: vendor.kind });
  }
}
