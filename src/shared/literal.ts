const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu;
/** Texts that tell secret scanners to look away (of gitleaks and detect-secrets). */
const SCANNER_MARKER = /(gitleaks|betterleaks|pragma|trufflehog|nosecret)(:)(?=\s{0,8}[a-z])/giu;

function unicodeEscape(text: string): string {
  let escaped = "";
  for (let i = 0; i < text.length; i++) {
    escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}

/**
 * A JavaScript string literal, in double quotes, that is inert in any source file: plain visible text, no runner or
 * compiler pragma, no comment or template delimiter, no HTML tag. It evaluates to exactly the given text.
 */
export function literal(text: string): string {
  return withoutScannerMarkers(JSON.stringify(text))
    .replace(UNSEEN, unicodeEscape)
    .replaceAll("@", "\\u0040")
    .replaceAll("`", "\\u0060")
    .replace(/\$(?=\{)/gu, "\\u0024")
    .replace(/[*/](?=\/)/gu, unicodeEscape)
    .replace(/\/(?=\*)/gu, unicodeEscape)
    .replaceAll("<", "\\u003c")
    .replaceAll("-->", "--\\u003e");
}

/**
 * The same JSON text with the `:` of markers that switch secret scanners off written as an escape. Such a marker can only
 * stand inside a JSON string, so the value stays the same.
 */
export function withoutScannerMarkers(json: string): string {
  return json.replace(SCANNER_MARKER, "$1\\u003a");
}
