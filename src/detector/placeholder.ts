import { leavesOf } from "./leaves.ts";
import type { TraceView } from "./view.ts";

/** A blank that was to be filled: `{{name}}`, `[insert the link]`; no Markdown link. */
const BLANK =
  /\{\{\s*(?![\d.-])[^\s{}"'(),:;=#/\\]{1,40}\s*\}\}|\[(?:insert|insertar|insérer|inserire|inserir)\s[^\]\n]{2,60}\](?!\()|\[[^\]\n]{2,60}\s(?:einfügen|invoegen)\](?!\()/iu;
const CODE = /```[^]*?(?:```|$)|`[^`\n]*`/gu;
/** What a user asks for who wants the blanks. */
const WANTED =
  /(?<!\p{L})(?:templat\p{L}*|placeholder\p{L}*|draft\p{L}*|letters?|e-?mails?|form|boilerplate|vorlage\p{L}*|platzhalter\p{L}*|entwurf|brief|plantilla\p{L}*|borrador|carta|correo|modèle\p{L}*|brouillon|lettre|modello|bozza|lettera)(?!\p{L})/iu;

/** A blank that the answer still has, though nobody asked for a form and no result had it. */
export function placeholderIn({ text, trace, calls }: TraceView): string | undefined {
  const blank = BLANK.exec(text.replaceAll(CODE, " "))?.[0];
  if (blank === undefined) return undefined;
  if (leavesOf(trace.task).some((leaf) => WANTED.test(leaf.text) || BLANK.test(leaf.text)))
    return undefined;
  const given = calls.some(({ step }) =>
    leavesOf([step.args, step.result?.ok === true ? step.result.data : null]).some((leaf) =>
      leaf.text.includes(blank),
    ),
  );
  return given ? undefined : blank;
}
