import { leavesOf, wordsOf } from "./leaves.ts";
import type { TraceView } from "./view.ts";

/** A blank that was to be filled: `{{name}}`, `[insert the link]`; no Markdown link. */
const BLANK =
  /\{\{\s*(?![\d.-])[^\s{}"'(),:;=#/\\]{1,40}\s*\}\}|\[(?:insert|insertar|insérer|inserire|inserir)\s[^\]\n]{2,60}\](?!\()|\[[^\]\n]{2,60}\s(?:einfügen|invoegen)\](?!\()/iu;
/** A label with a blank in the place of its value: `Since: [opening date]`; no state, as `[in progress]`. */
const LABELLED = /([^\n:：[\]]{1,60})[:：]\s*\[([^\n:|,"`{}[\]]{3,40})\](?!\()/gu;
/** What stands in such a blank is the name of what is missing. */
const SLOT =
  /(?<!\p{L})(?:link|url|date|name|number|address|e-?mail|price|rating|time|title|amount|id|phone|value|datum|nummer|adresse|preis|uhrzeit|titel|betrag|enlace|fecha|nombre|número|dirección|precio|hora|lien|nom|numéro|prix|heure|titre|nome|indirizzo|prezzo|data|numero|ora|preço|endereço|naam|adres|prijs|imię|cena|adres)(?: \p{N}+)?$/iu;
const MOST_BLANKS = 1;
const CODE = /```[^]*?(?:```|$)|`[^`\n]*`/gu;
/** What a user asks for who wants the blanks. */
const WANTED =
  /(?<!\p{L})(?:templat\p{L}*|placeholder\p{L}*|draft\p{L}*|letters?|e-?mails?|form|boilerplate|vorlage\p{L}*|platzhalter\p{L}*|entwurf|brief|plantilla\p{L}*|borrador|carta|correo|modèle\p{L}*|brouillon|lettre|modello|bozza|lettera)(?!\p{L})/iu;

/** A blank that the answer still has, though nobody asked for a form and no result had it. */
export function placeholderIn({ text, trace, calls }: TraceView): string | undefined {
  const plain = text.replaceAll(CODE, " ");
  const blank = BLANK.exec(plain)?.[0] ?? labelledIn(plain);
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

/** Of several labels with a blank behind them the first blank; one alone may be a way of writing. */
function labelledIn(text: string): string | undefined {
  if (!text.includes("[")) return undefined;
  const blanks = [...text.matchAll(LABELLED)].flatMap(([, label = "", inside = ""]) =>
    inside.trim().includes(" ") && (SLOT.test(inside.trim()) || echoes(inside, label))
      ? [`[${inside}]`]
      : [],
  );
  const distinct = [...new Set(blanks)];
  return distinct.length > MOST_BLANKS ? distinct[0] : undefined;
}

/** Whether a blank repeats a word of its label: `Rating: [Rating 2]`. */
function echoes(inside: string, label: string): boolean {
  const named = new Set(wordsOf(label.toLowerCase()));
  return wordsOf(inside.toLowerCase()).some((word) => word.length > 3 && named.has(word));
}
