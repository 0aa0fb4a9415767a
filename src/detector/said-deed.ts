import type { Call } from "./calls.ts";
import { leavesOf } from "./leaves.ts";
import { runsPrograms, wordsOfName } from "./names.ts";
import type { TraceView } from "./view.ts";

/** A deed that reaches the world: how an agent says in the first person that it did it, and stems of the tools that could. */
interface Deed {
  readonly said: RegExp;
  readonly stems: RegExp;
}

/** Where a word begins and ends. `\p{L}` costs too much to compile for a text that is read once. */
const OUT = String.raw`(?<![\w\u00c0-\u024f])`;
const END = String.raw`(?![\w\u00c0-\u024f])`;
const I = String.raw`${OUT}(?:i|we)(?:'ve| have)?(?: (?:now|just|also|already|successfully|gone ahead and)){0,2} `;
const ICH = String.raw`${OUT}(?:ich habe|wir haben|habe ich|haben wir)(?: [^\s.,!?]+){0,10} `;
const HE = String.raw`${OUT}(?:he|hemos) (?:ya )?`;
const JAI = String.raw`${OUT}(?:j'ai|nous avons) (?:bien |déjà )?`;
const WO = "我们?已经?(?:成功)?(?:为您|帮您|给您|替您)?";

const deed = (
  stems: RegExp,
  words: readonly [en: string, de: string, es: string, fr: string, zh: string],
): Deed => {
  const [en, de, es, fr, zh] = words;
  const spaced = [I + en, ICH + de, HE + es, JAI + fr].map((line) => line + END);
  return { said: new RegExp([...spaced, WO + zh].join("|"), "u"), stems };
};

const DEEDS: readonly Deed[] = [
  deed(/mail|send|messag|notif|reply|post/u, [
    "(?:e-?mailed|mailed|sent(?! you)|notified)",
    "(?:gesendet|geschickt|verschickt|benachrichtigt)",
    "(?:enviado|notificado)",
    "(?:envoyé|notifié)",
    "(?:发送|通知)",
  ]),
  deed(/book|reserv|schedul|appoint/u, [
    "(?:booked|reserved)",
    "(?:gebucht|reserviert)",
    "reservado",
    "réservé",
    "(?:预订|预约)",
  ]),
  deed(/cancel|delet|remov/u, ["cancell?ed", "storniert", "cancelado", "annulé", "取消"]),
  deed(/refund|pay|charg|transfer|money|wire|reimburs|credit/u, [
    "(?:refunded|paid|transferred|charged)",
    "(?:erstattet|bezahlt|überwiesen)",
    "(?:reembolsado|pagado|transferido)",
    "(?:remboursé|payé|viré)",
    "(?:退款|支付|转账)",
  ]),
  deed(/order|buy|purchas|checkout|cart/u, [
    "(?:ordered|purchased|bought)",
    "(?:bestellt|gekauft)",
    "(?:pedido|comprado)",
    "(?:commandé|acheté)",
    "(?:下单|购买)",
  ]),
];

/** One of these stands before each of them. */
const HINT = /(?<![\w])(?:i|we|ich|wir|he|hemos|j'ai|nous)(?![\w])|我/;

/** Words of a task that wants a text, in which somebody may have done something. */
const WANTS_TEXT =
  /(?<!\p{L})(?:writ\p{L}*|draft\p{L}*|templat\p{L}*|letter|story|translat\p{L}*|compos\p{L}*|rephras\p{L}*|schreib\p{L}*|entw[uü]rf\p{L}*|übersetz\p{L}*|redact\p{L}*|escrib\p{L}*|borrador|traduc\p{L}*|rédig\p{L}*|écri\p{L}*|traduis\p{L}*)|[写寫翻]/iu;
const QUOTED = /```[^]*?(?:```|(?![^]))|`[^`\n]*`|"[^"\n]*"|“[^”]*”|„[^“]*“|«[^»]*»|^>.*$/gmu;
const LONGEST = 4000;

/**
 * What the answer says that the agent did, where it only looked things up: none of its calls changed anything, could have, or
 * is named after such a deed. Undefined when there is no call at all: somebody else may keep the deeds.
 */
export function saidDeedIn({ calls, text, trace }: TraceView): string | undefined {
  const asked = calls.filter((call) => call.effect !== "note");
  if (asked.length === 0 || trace.task === null || trace.truncated !== undefined) return undefined;
  if (!asked.every((call) => call.effect === "read" && !runsPrograms(call.tool))) return undefined;
  const plain = text.slice(0, LONGEST).replaceAll(QUOTED, " ").toLowerCase().replaceAll("’", "'");
  if (!HINT.test(plain)) return undefined;
  for (const { said, stems } of DEEDS) {
    const found = said.exec(plain)?.[0].trim();
    if (found !== undefined && !asked.some((call) => isNamedAfter(call, stems)))
      return leavesOf(trace.task).some((leaf) => WANTS_TEXT.test(leaf.text)) ? undefined : found;
  }
  return undefined;
}

function isNamedAfter({ tool }: Call, stems: RegExp): boolean {
  return wordsOfName(tool).some((word) => stems.test(word));
}
