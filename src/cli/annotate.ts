import { createInterface } from "node:readline";
import {
  edited,
  isStructured,
  parseCheck,
  parseExpected,
  pendingOf,
  type Edit,
} from "../repro/annotate.ts";
import { readRepros, reprosText } from "../repro/file.ts";
import { readFolder } from "../repro/folder.ts";
import type { Repro, ReprosFile } from "../repro/repro.ts";
import { messageOf } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import { visible } from "../shared/text.ts";
import { type Command, EXIT } from "./command.ts";
import { type Io, say } from "./io.ts";
import { projectOf } from "./project.ts";
import { ANNOTATE_KEYS, reproCard } from "./repro-card.ts";
import { counted } from "./table.ts";

export const command: Command = {
  usage: "[options]",
  about: `Shows the pending repros, largest cluster first, and asks for a decision on each.
Every answer is saved at once; the end of the input is a quit.

${ANNOTATE_KEYS}`,
  options: {
    limit: { type: "number", help: "Stop after so many decisions; skipped ones do not count" },
  },
  positionals: [0, 0],
  async run(args, io) {
    const config = await projectOf(io);
    const queue = readFolder(config.specs.dir)
      .flatMap(({ path, file }) =>
        pendingOf(file).map(({ id, cluster }) => ({ path, id, size: sizeOf(file, cluster) })),
      )
      .sort((a, b) => b.size - a.size);
    const triage = new Triage(io, {
      queue,
      inside: config.specs.dir,
      limit: args.number("limit") ?? Infinity,
    });
    const counts = await triage.run();
    say(io);
    say(
      io,
      `${counts.confirmed} confirmed, ${counts.rejected} rejected, ${counts.skipped} skipped; ${counted(counts.left, "pending repro")} left`,
    );
    if (counts.rejected > 0)
      say(io, "The next run of your tests takes the rejected ones out of the specs.");
    return EXIT.passed;
  },
};

function sizeOf(file: ReprosFile, cluster: string): number {
  return Object.hasOwn(file.clusters, cluster) ? (file.clusters[cluster]?.size ?? 0) : 0;
}

interface Place {
  readonly path: string;
  readonly id: string;
}

/** What one answer changed, so that it can be taken back. */
interface Step {
  readonly path: string;
  readonly before: readonly Repro[];
  /** Place in the queue to which an undo returns. */
  readonly at: number;
  readonly count?: "confirmed" | "rejected" | "skipped";
}

class Triage {
  readonly #io: Io;
  readonly #about: {
    readonly queue: readonly Place[];
    readonly inside: string;
    readonly limit: number;
  };
  readonly #counts = { confirmed: 0, rejected: 0, skipped: 0 };
  readonly #steps: Step[] = [];
  /** Edits made so far to each repro, for the rest of its cluster. */
  readonly #edits = new Map<string, Edit[]>();
  #at = 0;

  constructor(
    io: Io,
    about: { readonly queue: readonly Place[]; readonly inside: string; readonly limit: number },
  ) {
    this.#io = io;
    this.#about = about;
  }

  async run(): Promise<{ confirmed: number; rejected: number; skipped: number; left: number }> {
    const input = createInterface({ input: this.#io.stdin, crlfDelay: Infinity });
    const lines = input[Symbol.asyncIterator]();
    const ask = async (prompt: string): Promise<string | undefined> => {
      this.#io.stdout.write(prompt);
      const next = await lines.next();
      return next.done === true ? undefined : next.value;
    };
    try {
      while (await this.#one(ask));
    } finally {
      input.close();
    }
    return { ...this.#counts, left: this.#left() };
  }

  /** Shows one repro and takes one answer; false ends the session. */
  async #one(ask: (prompt: string) => Promise<string | undefined>): Promise<boolean> {
    if (this.#counts.confirmed + this.#counts.rejected >= this.#about.limit) return false;
    const place = this.#nextPending();
    if (place === undefined) return false;
    const { file, repro } = place;
    say(this.#io);
    for (const line of reproCard(this.#io, file, repro)) say(this.#io, line);
    const answer = (await ask("c/r/e/a/x/u/s/q> "))?.trim().toLowerCase();
    if (answer === undefined || answer === "q") return false;
    try {
      await this.#act(answer, place, ask);
    } catch (thrown) {
      say(this.#io, visible(messageOf(thrown)));
    }
    return true;
  }

  async #act(
    answer: string,
    place: Place & { repro: Repro },
    ask: (prompt: string) => Promise<string | undefined>,
  ): Promise<void> {
    switch (answer) {
      case "c":
      case "r":
        this.#decide(place, [place.id], answer);
        break;
      case "e": {
        const typed = await ask('expected ("re:" pattern, "=" exact, else contained)> ');
        if (typed !== undefined)
          this.#edit(place, {
            set: "expected",
            expected: parseExpected(typed, isStructured(place.repro)),
          });
        break;
      }
      case "a": {
        const typed = await ask("check (JSON)> ");
        if (typed !== undefined) this.#edit(place, { set: "check", check: parseCheck(typed) });
        break;
      }
      case "x": {
        const ids = pendingOf(readRepros(place.path))
          .filter(({ cluster }) => cluster === place.repro.cluster)
          .map(({ id }) => id);
        const verdict = (
          await ask(`c or r for ${counted(ids.length, "pending repro")} of this cluster> `)
        )
          ?.trim()
          .toLowerCase();
        if (verdict === "c" || verdict === "r") this.#decide(place, ids, verdict);
        break;
      }
      case "u":
        this.#undo();
        break;
      case "s":
        this.#steps.push({ path: place.path, before: [], at: this.#at, count: "skipped" });
        this.#counts.skipped += 1;
        this.#at += 1;
        break;
      default:
        say(this.#io, ANNOTATE_KEYS);
    }
  }

  /** Sets the status of these repros, with the edits that were made to the shown one. */
  #decide(place: Place, ids: readonly string[], answer: "c" | "r"): void {
    const status = answer === "c" ? "confirmed" : "rejected";
    const copied = this.#edits.get(place.id) ?? [];
    const before = this.#save(place.path, ids, (repro) =>
      edited(
        repro.id === place.id ? repro : copied.reduce((done, edit) => edited(done, edit), repro),
        { set: "status", status },
      ),
    );
    this.#steps.push({ path: place.path, before, at: this.#at, count: status });
    this.#counts[status] += before.length;
  }

  #edit(place: Place, edit: Edit): void {
    const before = this.#save(place.path, [place.id], (repro) => edited(repro, edit));
    this.#steps.push({ path: place.path, before, at: this.#at });
    this.#edits.set(place.id, [...(this.#edits.get(place.id) ?? []), edit]);
    say(this.#io, "saved");
  }

  #undo(): void {
    const step = this.#steps.pop();
    if (step === undefined) {
      say(this.#io, "there is nothing to undo");
      return;
    }
    const before = new Map(step.before.map((repro) => [repro.id, repro]));
    this.#save(step.path, [...before.keys()], (repro) => before.get(repro.id) ?? repro);
    if (step.count !== undefined)
      this.#counts[step.count] -= step.count === "skipped" ? 1 : step.before.length;
    else for (const id of before.keys()) this.#edits.get(id)?.pop();
    this.#at = step.at;
    say(this.#io, "undone");
  }

  /** Changes repros in the file as it is on disk now, and returns them as they were. */
  #save(path: string, ids: readonly string[], change: (repro: Repro) => Repro): Repro[] {
    const file = readRepros(path);
    const before = file.repros.filter((repro) => ids.includes(repro.id));
    const repros = file.repros.map((repro) => (ids.includes(repro.id) ? change(repro) : repro));
    if (before.length > 0)
      writeAtomic(path, reprosText({ ...file, repros }), { inside: this.#about.inside });
    return before;
  }

  /** The next repro of the queue that is still pending on disk. */
  #nextPending(): (Place & { file: ReprosFile; repro: Repro }) | undefined {
    for (; this.#at < this.#about.queue.length; this.#at++) {
      const place = this.#about.queue[this.#at];
      if (place === undefined) return undefined;
      const file = readRepros(place.path);
      const repro = file.repros.find(({ id, status }) => id === place.id && status === "pending");
      if (repro !== undefined) return { ...place, file, repro };
    }
    return undefined;
  }

  #left(): number {
    const paths = new Set(this.#about.queue.map(({ path }) => path));
    return [...paths].reduce((sum, path) => sum + pendingOf(readRepros(path)).length, 0);
  }
}
