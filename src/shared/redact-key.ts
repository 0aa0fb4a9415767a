/**
 * How surely a member's name says that its value is secret: `sure` redacts any text, `every` also all texts in an object
 * below it, `perhaps` only a text that looks like a credential (`token` also names words of a model, `cookie` also a biscuit).
 */
export type KeySuspicion = "every" | "sure" | "perhaps";

const EVERY: ReadonlySet<string> = new Set([
  "secrets",
  "passwords",
  "apikeys",
  "secretdata",
  "stringdata",
]);

const SURE: ReadonlySet<string> = new Set(
  `password passwd pwd passphrase passcode secret clientsecret apikey apisecret
  accesskey secretkey privatekey encryptionkey signingkey masterkey authkey sshkey deploykey servicekey accountkey
  sharedkey sharedaccesskey sessionkey hmackey licensekey subscriptionkey functionkey adminkey accesskeysecret
  accesstoken refreshtoken idtoken authtoken apitoken bearertoken sessiontoken csrftoken xsrftoken securitytoken bottoken
  usertoken oauthtoken personalaccesstoken jwttoken devicetoken logintoken servicetoken deploytoken jwt bearer
  authorization proxyauthorization setcookie credential credentials connectionstring cvv cvc pin otp totp totpsecret
  mfacode webhooksecret signingsecret xapikey xauthtoken xcsrftoken xamzsecuritytoken`.split(
    /\s+/u,
  ),
);
const PERHAPS: ReadonlySet<string> = new Set(
  "token tokens auth authentication cookie cookies session sessionid sessid sid phpsessid jsessionid signature sig xamzsignature passkey nonce".split(
    " ",
  ),
);
/** A name that ends with one of these is secret, whatever stands before: `STRIPE_API_KEY`, `dbPassword`. */
const SURE_ENDS: readonly (readonly string[])[] = [
  ["password"],
  ["passwd"],
  ["pwd"],
  ["passphrase"],
  ["passcode"],
  ["secret"],
  ["authorization"],
  ["credentials"],
  ["credential"],
  ["apikey"],
  ["set", "cookie"],
  ...[
    "api",
    "access",
    "secret",
    "private",
    "encryption",
    "signing",
    "master",
    "auth",
    "account",
    "ssh",
    "deploy",
    "session",
    "admin",
    "hmac",
    "shared",
  ].map((word) => [word, "key"]),
  ...[
    "access",
    "refresh",
    "id",
    "auth",
    "api",
    "bearer",
    "session",
    "csrf",
    "xsrf",
    "security",
    "bot",
    "user",
    "oauth",
    "personal",
    "jwt",
    "github",
    "gitlab",
    "slack",
    "npm",
    "gh",
    "hf",
    "discord",
    "telegram",
    "vault",
    "deploy",
    "service",
    "device",
    "login",
    "reset",
    "verification",
    "invite",
    "signin",
  ].map((word) => [word, "token"]),
  ["connection", "string"],
];
/** Words before `token` that make it a place in a list or a word of a model, not a secret. */
const HARMLESS_TOKEN: ReadonlySet<string> = new Set(
  "page next continuation pagination cursor sync start end eos bos pad unk unknown stop special mask cls sep resume prev previous first last max min total sub prompt completion input output cached reasoning delta text".split(
    " ",
  ),
);

/** Every suspicious name has one of these in it, once it is written together; most names have none. */
const STEM =
  /pass|pwd|secret|token|key|auth|cookie|cred|jwt|bearer|string|cvv|cvc|pin|otp|mfa|sess|sid|sig|nonce/u;

/** The words of a name, lower-case: `X-Api-Key`, `xApiKey` and `x_api_key` are x, api, key. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "");
}

/** What a member's name says about its value; undefined when nothing. */
export function suspicionOf(name: string): KeySuspicion | undefined {
  // The shell's working directory is no password.
  if (name.length > 100 || name === "PWD" || name === "OLDPWD") return undefined;
  const joined = name.toLowerCase().replace(/[^a-z0-9]+/gu, "");
  if (!STEM.test(joined)) return undefined;
  const words = wordsOf(name);
  if (EVERY.has(joined)) return "every";
  if (SURE.has(joined)) return "sure";
  if (
    SURE_ENDS.some(
      (end) =>
        end.length <= words.length &&
        end.every((word, i) => words[words.length - end.length + i] === word),
    )
  ) {
    return "sure";
  }
  const last = words.at(-1) ?? "";
  if (last === "token" && HARMLESS_TOKEN.has(words.at(-2) ?? "")) return undefined;
  if (PERHAPS.has(joined) || last === "token" || last === "cookie" || joined.endsWith("sessionid"))
    return "perhaps";
  return undefined;
}

const HARMLESS_VALUE =
  /^(?:|none|null|nil|undefined|true|false|yes|no|on|off|required|optional|string|number|integer|boolean|object|array|any|invalid|valid|missing|expired|revoked|unknown|empty|redacted|masked|hidden|unset|default|basic|bearer|oauth2?|jwt|api[ _-]?key|password|secret|token|n\/a|\*+|x{3,}|\.{3}|<[^<>]{0,60}>|\$\{?[\w.-]{0,60}\}?)$/iu;

/** Whether a text is what stands in place of a secret: empty, a type's name, stars, a variable's name. */
export function isHarmlessValue(value: string): boolean {
  return value.length <= 64 && HARMLESS_VALUE.test(value.trim());
}

/** Whether a text looks made by a machine: no blank, with a digit or a mix of cases. */
export function looksRandom(value: string): boolean {
  if (value.length < 8 || /\s/u.test(value) || /^\d{4}-\d{2}-\d{2}/u.test(value)) return false;
  return (
    (/\d/u.test(value) && /[A-Za-z]/u.test(value)) ||
    (value.length >= 16 && /[a-z]/u.test(value) && /[A-Z]/u.test(value))
  );
}

/** Whether a text of a member that is perhaps secret is: it looks made by a machine, or is a cookie's `name=value`. */
export function looksLikeCredential(value: string): boolean {
  return looksRandom(value) || /^[\w.-]{1,64}=[^;\s]+(?:;|$)/u.test(value);
}
