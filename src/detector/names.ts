/** What a tool does to the world: changes it, looks at it, keeps notes about it, or we cannot tell. */
export type Effect = "write" | "read" | "note" | "unknown";

const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/u));

const WRITING = list(
  `activate add append apply approve archive assign authorize ban block book buy cancel change charge checkout commit
  confirm copy create credit deactivate debit delete deploy deposit disable discard dispatch drop edit enable enroll
  exchange execute_payment forward grant insert install invite issue lock merge modify move notify open_ticket overwrite
  patch pay persist place post publish purchase push put redeem refund register reject release remove rename renew replace
  reply reschedule reserve reset resolve_ticket restart restore resume revoke save schedule sell send set share ship stop
  store submit subscribe suspend terminate transfer truncate unblock uninstall unlock unsubscribe update upgrade upload
  upsert void withdraw write`,
);

const READING = list(
  `browse calculate cat check compare compute count describe detect download estimate explain explore fetch find get grep
  has head help inspect is list load look lookup ls list_files peek ping poll preview query read retrieve scan search
  select show status summarize tail translate validate verify view watch weather`,
);

/** Tools that only keep a record of what happened; their success says nothing about the task. */
const NOTING = list(
  `annotate audit comment debug log note plan record remember think todo trace track wait sleep`,
);

/** Verbs that keep a record of one's own work, and look up what is on its way: `track_event`, `track_parcel`. */
const EITHER = list(`plan trace track`);
const OWN_WORK = list(
  `action activity analytics day event events goal goals habit metric metrics progress step steps task tasks time todo
  todos usage work`,
);

/** Nouns that name a deed when no verb is there: `mail`, `payment`. */
const DEEDS = list(
  `booking cancellation email mail mailer order payment reservation sms transaction`,
);

/** Tools whose arguments are a program: another call is a next attempt, not another question. */
const PROGRAMS = list(
  `bash cmd code command console edit editor exec execute interpreter ipython jupyter powershell python repl run sh shell
  sql terminal`,
);

/** The lower-case words of a tool's name: `getUser`, `get_user` and `crm.get-user` all have `get` and `user`. */
export function wordsOfName(name: string): string[] {
  return name
    .slice(0, 200)
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Verb and object of a tool's name; the first word that is a verb we know, wherever a server's name stands before it. */
export function partsOfName(name: string): { readonly verb: string; readonly object: string } {
  const words = wordsOfName(name);
  const known = words.findIndex(
    (word) => WRITING.has(word) || READING.has(word) || NOTING.has(word),
  );
  const at = Math.max(known, 0);
  const rest = words.slice(at + 1);
  return { verb: words[at] ?? "", object: (rest.length > 0 ? rest : words.slice(0, at)).join(" ") };
}

/** What a tool does, judged by its name alone. */
export function effectOfName(name: string): Effect {
  return effectOf(name, partsOfName(name));
}

/** The same where the parts of the name are known. */
export function effectOf(name: string, { verb }: { readonly verb: string }): Effect {
  if (WRITING.has(verb)) return "write";
  if (READING.has(verb)) return "read";
  if (NOTING.has(verb)) return EITHER.has(verb) && looksUp(name, verb) ? "read" : "note";
  return wordsOfName(name).some((word) => DEEDS.has(word)) ? "write" : "unknown";
}

function looksUp(name: string, verb: string): boolean {
  const words = wordsOfName(name).filter((word) => word !== verb);
  return words.length > 0 && !words.some((word) => OWN_WORK.has(word));
}

/** Whether a tool runs what it is given, as a shell or an editor. */
export function runsPrograms(name: string): boolean {
  return wordsOfName(name).some((word) => PROGRAMS.has(word));
}
