import { expect, test } from "vitest";
import { call, failed, traceOf, type About } from "../testing/traces.ts";
import { detect, type DetectOptions } from "./detector.ts";
import type { StepSeed } from "../testing/traces.ts";

const LOOKED = [call("get_order", { id: 1 }, { id: 1, state: "open" })];
function found(
  about: About,
  steps: readonly StepSeed[] = LOOKED,
  options: DetectOptions = {},
): string[] {
  return detect(traceOf(steps, about), options).map(({ kind, severity }) => `${kind} ${severity}`);
}

test("an answer that only gives up is abandoned, and so is a run without an answer", () => {
  expect(found({ output: "I cannot complete this task." })).toEqual(["abandoned medium"]);
  expect(found({})).toEqual(["abandoned medium"]);
});

test("giving up in German is abandoned, and in other languages", () => {
  const outputs = [
    "Ich kann diese Aufgabe nicht erledigen.",
    "Ich gebe auf.",
    "Leider konnte ich die Bestellung nicht ändern.",
    "No puedo completar esta tarea.",
    "Me rindo.",
    "Je ne peux pas terminer cette tâche.",
    "Je n\u2019ai pas pu le faire.",
    "Non riesco a completare il compito.",
    "Não consegui concluir a tarefa.",
    "Ik kan deze taak niet afmaken.",
    "Nie mogę dokończyć tego zadania.",
    "我无法完成这个任务。",
  ];
  expect(outputs.filter((output) => found({ output })[0] !== "abandoned medium")).toEqual([]);
});

test("giving up with a curly apostrophe is abandoned", () => {
  expect(found({ output: "I can\u2019t complete this task." })).toEqual(["abandoned medium"]);
  expect(found({ output: "I couldn\u2019t do it." })).toEqual(["abandoned medium"]);
});

test("a refusal for policy is no failure, in eight languages", () => {
  const outputs = [
    "I cannot share another customer's data.",
    "I can\u2019t share another customer\u2019s data.",
    "I'm not allowed to change that.",
    "Ich darf diese Daten nicht weitergeben.",
    "No puedo compartir datos de otro cliente.",
    "Je ne peux pas divulguer les données d'un autre client.",
    "Non posso condividere i dati di un altro cliente.",
    "Não posso compartilhar dados de outro cliente.",
    "Ik mag die gegevens niet delen.",
    "Nie mogę udostępnić danych innego klienta.",
  ];
  expect(outputs.filter((output) => found({ output }).length > 0)).toEqual([]);
});

test("an answer that says that it is not done yet is a hint", () => {
  expect(found({ output: "Not done yet" })).toEqual(["abandoned low"]);
});

test("giving up for a reason that a result shows is a hint", () => {
  expect(found({ output: "I could not send it." }, [failed("mail", {}, "down")])).toEqual([
    "tool_error low",
    "abandoned low",
  ]);
  expect(found({ output: "I could not find an order." }, [call("search", { q: 1 }, [])])).toEqual([
    "abandoned low",
  ]);
  expect(found({ output: "I give up." }, [call("search", { q: 1 }, [])])).toEqual([
    "abandoned medium",
  ]);
});

test("a run that breaks off after a failed call without a word about it is abandoned", () => {
  const steps = [...LOOKED, failed("fetch_invoice", { id: 1 }, "500")];
  expect(found({ output: "Invoice 1, as of today" }, steps)).toEqual([
    "abandoned medium",
    "tool_error medium",
  ]);
});

test("a blocked completion is no failure when a result shows why, or when it refuses", () => {
  const blocked = (message: string): About => ({ output: { status: "blocked", message } });
  expect(found(blocked("The bank declined."), [failed("refund", {}, "declined")])).toEqual([
    "tool_error low",
  ]);
  expect(found(blocked("Order 1 is open, so there is nothing to refund."))).toEqual([]);
  expect(found(blocked("I cannot share another customer's data."))).toEqual([]);
  expect(found(blocked("It is late."))).toEqual(["abandoned medium"]);
  expect(found(blocked("It is late."), [])).toEqual(["abandoned low"]);
});

test("whether a run without an output is failing can be chosen", () => {
  const work = [call("send_report", { to: "bob" }, { sent: true })];
  expect(found({ status: "ok" }, work)).toEqual(["abandoned low"]);
  expect(found({ status: "ok", output: null }, work)).toEqual(["malformed_output low"]);
  expect(found({ status: "ok" }, work, { output: "optional" })).toEqual([]);
  expect(found({ status: "ok", output: null }, LOOKED, { output: "optional" })).toEqual([]);
  expect(found({ status: "ok", output: null })).toEqual(["malformed_output medium"]);
});

test("a run that is stopped or crashes is not abandoned as well", () => {
  expect(found({ status: "timeout" })).toEqual(["timeout high"]);
  expect(found({ status: "error" })).toEqual(["exception high"]);
});

test("an answer that did most and says what is not possible is a hint", () => {
  const steps = [call("refund", { id: 1 }, { ok: true })];
  expect(found({ output: "Refund 1 is done. I cannot change the address." }, steps)).toEqual([
    "abandoned low",
  ]);
});

test("a record that is known to show only a part of the run is a hint at most", () => {
  const reasons = ["content_not_exported", "continued_elsewhere", "waiting_for_approval"];
  for (const truncated of reasons) expect(found({ truncated })).toEqual(["abandoned low"]);
  expect(found({ truncated: "torn" })).toEqual(["abandoned medium"]);
  expect(found({ task: null })).toEqual(["abandoned low"]);
});

test("what cannot be done is a hint when the same sentence says what can", () => {
  const outputs = [
    "I can't help with that, but I can open a ticket.",
    "Das kann ich leider nicht ändern, aber ich habe ein Ticket eröffnet.",
    "No puedo cambiarlo, pero he abierto un caso.",
  ];
  expect(outputs.filter((output) => found({ output })[0] !== "abandoned low")).toEqual([]);
  expect(found({ output: "I can't help, but I can't pass it on either." })).toEqual([
    "abandoned medium",
  ]);
});

test("giving up is abandoned when several tools had nothing to give and one of them broke", () => {
  const broken = [failed("look_up_a", {}, "500"), call("look_up_b", {}, [])];
  expect(found({ output: "I couldn't find it." }, broken)).toContain("abandoned medium");
  const none = [failed("look_up_a", {}, "404 not found"), call("look_up_b", {}, [])];
  expect(found({ output: "I couldn't find it." }, none)).toContain("abandoned low");
  const some = [...broken, call("look_up_c", {}, "Ada")];
  expect(found({ output: "I couldn't find it." }, some)).toContain("abandoned low");
  const deeds = [failed("send_mail", {}, "500"), failed("send_sms", {}, "500")];
  expect(found({ output: "I could not send it." }, deeds)).toContain("abandoned low");
});
