import { isObject, type Json } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { runsPrograms } from "./names.ts";
import { partsOf } from "./soft-error.ts";

/** What an argument is called, in the languages that services speak. */
const ARGUMENT = String.raw`(?:arguments?|params?|parameters?|propert(?:y|ies)|fields?|keys?|inputs?|request body|parametern?|argumente?|felder|feld|pflichtfeld|eingabe|parámetros?|argumentos?|campos?|paramètres?|champs?|parametr[oi]|argoment[oi]|camp[oi]|parâmetros?|veld|parametry)`;
/** Where a word ends: no letter of the languages below follows. `\p{L}` costs far more to compile. */
const END = String.raw`(?![\w\u00c0-\u024f])`;
const WRONG = [
  String.raw`^(?:error:? ?|validation ?error:? ?)?(?:invalid|bad|missing|unknown|unexpected|unrecogni[sz]ed|malformed)(?: or missing)?(?: required)?(?: \S+)? ${ARGUMENT}\b`,
  String.raw`\b${ARGUMENT}\b[^.\n]{0,60}\b(?:is|are) (?:required|missing|invalid|not valid|not allowed|unexpected)\b`,
  String.raw`\b(?:unexpected|missing|required)(?: \d+)?(?: required)? (?:keyword|positional)(?:-only)? arguments?\b`,
  String.raw`\brequired ${ARGUMENT}\b[^.\n]{0,60}\bmissing\b`,
  String.raw`\b(?:arguments?|parameters?|input) (?:do(?:es)? not|did not|failed to) (?:match|meet|conform|validate)\b`,
  String.raw`\b(?:could not|cannot|failed to) (?:parse|decode|validate) (?:the |tool |function )?(?:call )?(?:arguments?|parameters?|input)\b`,
  String.raw`^(?:ungültige[rs]?|fehlende[rs]?|unbekannte[rs]?) ${ARGUMENT}${END}`,
  String.raw`^(?:falta[n]?|manca(?:no)?|manque|falta o) (?:el |la |los |las |le |il |o |a )?${ARGUMENT}${END}`,
  String.raw`^${ARGUMENT} (?:inválid[oa]s?|no válid[oa]s?|invalides?|manquante?s?|non valid[oaie]|mancant[ei]|fehlt|ungültig|requerid[oa]s?|obligatoires?)${END}`,
  String.raw`^(?:参数(?:错误|无效|缺失|不正确)|缺少(?:必填|必需|必要)?的?参数|パラメータが(?:不正|不足)|無効な(?:引数|パラメータ))`,
].join("|");
/** One of these stands in whatever the pattern matches; it is small, and few answers have one. */
const MENTIONS =
  /arg|par[aáâ]m|propert|field|key|input|request body|feld|eingabe|camp|champ|veld|参数|缺少|パラメ|引数/u;
const wrong = lazily();

/** For texts in lower case: a pattern that ignores case by itself is far slower. Made when it is first needed, as it is large. */
function lazily(): () => RegExp {
  let made: RegExp | undefined;
  return () => (made ??= new RegExp(WRONG, "u"));
}

/** JSON-RPC's "Invalid params", and a schema library's class. */
const CODES =
  /-32602|\bZodError\b|\bValidationError\b|\binvalid_(?:arguments?|params|parameters?|request_body)\b/u;
/** Tools that judge what they are given: "invalid" is their answer. */
const JUDGES =
  /^(?:check|validate|verify|lint|parse|test|compare|search|find|grep|read|view|cat|get_logs?)$/u;
const LONGEST = 300;

/** A tool did not take what it was given. */
export const invalidArguments: Detector = {
  kind: "invalid_arguments",
  detector: "rule",
  summary:
    "A tool refused its arguments, and nothing made that good. Low where the call counts as a tool error already, or is reported honestly.",
  excusedWhenBlocked: true,
  excusedWhenPassed: true,
  detect(view) {
    let goodAt: ReadonlyMap<string, number> | undefined;
    return view.calls.flatMap((call): Finding[] => {
      if (call.error !== undefined) {
        const { message } = call.error;
        return isWrong(message) && !runsPrograms(call.tool) && !view.recovered.has(call)
          ? [findingOf(call, "low", message)]
          : [];
      }
      const said = refusedIn(call);
      if (said === undefined) return [];
      goodAt ??= lastTaken(view.calls);
      if ((goodAt.get(call.tool) ?? -1) > call.at) return [];
      return [findingOf(call, view.honest || !view.answered ? "low" : "medium", said)];
    });
  },
};

/** A result that is nothing but the refusal, though it came as a good one. */
function refusedIn(call: Call): string | undefined {
  if (!call.worked) return undefined;
  const text = textOf(call.step.result?.ok === true ? call.step.result.data : null)?.trim();
  if (text === undefined || text.length > LONGEST || !isWrong(text)) return undefined;
  return JUDGES.test(call.verb) || runsPrograms(call.tool) ? undefined : text;
}

function textOf(data: Json): string | undefined {
  if (typeof data === "string") return data;
  if (!isObject(data)) return undefined;
  const parts = partsOf(data);
  if (parts?.length === 1) return parts[0];
  const { message } = data;
  return Object.keys(data).length === 1 && typeof message === "string" ? message : undefined;
}

function isWrong(message: string): boolean {
  const head = message.slice(0, LONGEST);
  if (CODES.test(head)) return true;
  const plain = head.toLowerCase();
  return MENTIONS.test(plain) && wrong().test(plain);
}

/** By tool, the place of the last call whose arguments it took. */
function lastTaken(calls: readonly Call[]): ReadonlyMap<string, number> {
  const taken = calls.filter((call) => call.worked && refusedIn(call) === undefined);
  return new Map(taken.map(({ tool, at }) => [tool, at]));
}

function findingOf({ tool, at }: Call, severity: "low" | "medium", said: string): Finding {
  const message = clip(`${clip(tool, 100)} did not take its arguments: ${said}`, 500);
  return { severity, tool, step: at, message };
}
