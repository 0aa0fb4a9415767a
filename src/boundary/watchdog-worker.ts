/** Places in the shared memory of the watchdog. */
export const BEAT = 0;
export const WATCHED = 1;
export const LIMIT = 2;
export const SIGNAL = 3;
/** 1 while the watching thread has a session with the main one: a process that ends meanwhile waits for it, and prints so. */
export const ASKING = 4;
export const PLACES = 5;

/**
 * What the watching thread runs; text, as a thread of its own file would need that file beside every bundle.
 * It looks whether the beat of the main thread goes on. When it has stood for the limit, and the process has used at least
 * half of that time on its processors, it asks the main thread twice, with time between, by a message that also a running
 * loop answers: a collection of garbage or a stopped machine lies before the first answer, so the beat goes on by the second.
 */
export const WATCHDOG = `
"use strict";
const { workerData } = require("node:worker_threads");
const { Session } = require("node:inspector");
const shared = new Int32Array(workerData.memory);
let beat = -1;
let still = 0;
let used = 0;

const sleep = (ms) => void Atomics.wait(shared, ${SIGNAL}, Atomics.load(shared, ${SIGNAL}), ms);
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };

function ask(expression) {
  return new Promise((resolve) => {
    const session = new Session();
    const asked = Atomics.load(shared, ${BEAT});
    const end = (answer) => {
      clearTimeout(patience);
      clearInterval(moved);
      session.disconnect();
      Atomics.store(shared, ${ASKING}, 0);
      resolve(answer);
    };
    // An answer is not given by what has been stopped, nor by a thread that waits for the system.
    const patience = setTimeout(end, 1000);
    const moved = setInterval(() => { if (Atomics.load(shared, ${BEAT}) !== asked) end(); }, 5);
    Atomics.store(shared, ${ASKING}, 1);
    session.connectToMainThread();
    session.post("Runtime.evaluate", { expression, returnByValue: true }, (error, answer) => {
      end(error === null && answer.result ? answer.result.value : undefined);
    });
  });
}

async function look() {
  for (;;) {
    const limit = Atomics.load(shared, ${LIMIT});
    const slice = Math.max(5, Math.min(100, limit / 8));
    if (Atomics.load(shared, ${WATCHED}) === 0) { still = 0; sleep(1000); }
    else sleep(slice);
    const now = Atomics.load(shared, ${BEAT});
    if (now !== beat || Atomics.load(shared, ${WATCHED}) === 0) { beat = now; still = 0; used = cpuMs(); continue; }
    still += slice;
    if (still < limit || cpuMs() - used < limit / 2) continue;
    const asked = await ask(workerData.probe);
    const confirm = Math.max(slice, Math.min(200, limit / 4));
    sleep(confirm);
    // Node's own code keeps lists that must not be left half changed: it is looked for another point.
    for (let tries = 0; asked === true && tries < 3000 && Atomics.load(shared, ${BEAT}) === beat; tries += 1)
      if ((await ask(workerData.stop + "(" + beat + ")")) !== "later") break;
    still = 0;
    used = cpuMs();
  }
}
void look();
`;
