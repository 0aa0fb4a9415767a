import type { Answer, Awaitable, Layer, ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import { failure } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { Delivered, Delivery } from "../world/open.ts";
import { after } from "./after.ts";
import { Deliveries } from "./deliveries.ts";
import type { Arena, Fault, FaultOutcome, FaultType } from "./fault.ts";
import { faultTypes } from "./known.ts";
import { LaterQueue } from "./later.ts";
import { selectorOf, type Selector } from "./selection.ts";
import { waitedFor } from "./waited-for.ts";

/** What a fault happened to. */
export interface Hit {
  /** Missing where no call was hit: the catalog was read. */
  readonly call?: ToolCall;
  readonly about?: { readonly [key: string]: Json };
}

/** What a trial offers its faults. */
export interface FaultHost {
  readonly clock: Clock;
  readonly kindOf: (tool: string) => "read" | "write" | undefined;
  /** Whether a world with state answers. */
  readonly simulated: boolean;
  readonly deliver: (call: ToolCall, delivery?: Delivery) => Awaitable<Delivered>;
  readonly rival: (call: ToolCall, change?: Readonly<Record<string, Json>>) => boolean;
  readonly restart: (call: ToolCall) => Promise<never>;
  /** Told each time that a fault happens, with its place in the scenario, from 0. */
  readonly onReached: (n: number, fault: Fault, hit: Hit) => void;
  /** Told what a tool really answered, where the agent is told something else. */
  readonly onHidden: (call: ToolCall, result: ToolResult) => void;
}

/** What an agent is told of a tool; see `CatalogEntry` of the agent. */
interface Described {
  readonly name: string;
  readonly description?: string;
}

/** The faults of one trial, at work. */
export interface ArmedFaults {
  readonly layer: Layer;
  /** In the order of the faults. */
  outcomes(): FaultOutcome[];
  /** Does what was put off. To be called when the agent has ended, while the world is still open. */
  drain(): Awaitable<void>;
  /** The catalog as the agent is to read it. */
  catalog<Entry extends Described>(entries: readonly Entry[]): Entry[];
}

/** One fault, and what it has come to. */
interface Unarmed {
  readonly fault: Fault;
  readonly type: FaultType;
  readonly selector: Selector;
  readonly descriptions: Description[];
  count: number;
  missed: string | undefined;
}

interface Device extends Unarmed {
  readonly layer: Layer;
}

interface Description {
  readonly tool: string;
  readonly change: (description: string) => string;
}

/** All that concerns the calls of one tool. */
interface Route {
  readonly devices: readonly Device[];
  /** Of those, the ones that count the tool's calls. */
  readonly counting: readonly Device[];
  /** The devices' layers over `next`; made anew for another `next`. */
  next?: Answer;
  answer?: Answer;
}

/**
 * Arms the faults of one trial, as layers around the tools: the first of the list is the outermost. Each counts the agent's calls as they
 * are made, whatever the others do to them. A tool that no fault is about passes at the cost of one look-up.
 */
export function armFaults(faults: readonly Fault[], host: FaultHost): ArmedFaults {
  const queue = new LaterQueue(host.clock);
  const deliveries = new Deliveries(host.deliver);
  const devices = faults.map((fault, n) => deviceOf(fault, n, { host, queue, deliveries }));
  const routes = routesOf(devices);
  const innermost =
    (next: Answer): Answer =>
    (call) =>
      deliveries.innermost(call, next);
  const answerFor = (route: Route, next: Answer): Answer => {
    if (route.next === next && route.answer !== undefined) return route.answer;
    route.next = next;
    route.answer = route.devices.reduceRight<Answer>(
      (inner, { layer }) =>
        (call) =>
          layer(call, inner),
      innermost(next),
    );
    return route.answer;
  };
  const routed: Layer = (call, next) => {
    const route = routes.get(call.tool);
    if (route === undefined) return next(call);
    for (const { selector } of route.counting) selector.count(call);
    return answerFor(route, next)(call);
  };
  return {
    layer(call, next) {
      if (queue.idle) return routed(call, next);
      const answered = queue.begin();
      return after(routed(call, next), (result) => {
        answered();
        return result;
      });
    },
    outcomes: () => devices.map((device) => outcomeOf(device)),
    drain: () => queue.drain(),
    catalog: (entries) =>
      entries.map((entry) => devices.reduce((told, device) => described(told, device), entry)),
  };

  function described<Entry extends Described>(entry: Entry, device: Device): Entry {
    const changes = device.descriptions.filter(({ tool }) => tool === entry.name);
    if (changes.length === 0) return entry;
    const before = entry.description ?? "";
    const description = changes.reduce((told, { change }) => change(told), before);
    if (device.count === 0) {
      device.count++;
      host.onReached(devices.indexOf(device), device.fault, {});
    }
    return { ...entry, description };
  }
}

interface Surroundings {
  readonly host: FaultHost;
  readonly queue: LaterQueue;
  readonly deliveries: Deliveries;
}

function deviceOf(fault: Fault, n: number, surroundings: Surroundings): Device {
  const type = faultTypes().get(fault.type);
  if (type === undefined)
    throw failure("E_FAULT_TYPE", {
      to: `arm fault ${n + 1} of the scenario`,
      because: `there is no fault type ${JSON.stringify(fault.type)}`,
      fix: `Use one of ${[...faultTypes().keys()].join(", ")}`,
    });
  const selector = selectorOf(fault, type);
  const device: Unarmed = {
    fault,
    type,
    selector,
    descriptions: [],
    count: 0,
    missed: undefined,
  };
  const arena = arenaOf(device, n, surroundings);
  const layer = type.arm(fault, { arena, selects: selector.selects });
  return Object.assign(device, { layer });
}

function arenaOf(device: Unarmed, n: number, surroundings: Surroundings): Arena {
  const { host, queue, deliveries } = surroundings;
  return {
    clock: host.clock,
    kindOf: host.kindOf,
    simulated: host.simulated,
    deliver: (call, next, delivery) => deliveries.ask(call, next, delivery),
    deliverLater: (call, when, done) =>
      queue.add(when, call.id, () => after(host.deliver(call), (delivered) => done(delivered))),
    goesOn: (call, work) => queue.goesOn(work, call.id),
    reached(call, about) {
      device.count++;
      host.onReached(n, device.fault, about === undefined ? { call } : { call, about });
    },
    missed(_call, why) {
      device.missed = why;
    },
    hidden: host.onHidden,
    rival: host.rival,
    restart(call) {
      queue.died(call.id);
      return host.restart(call);
    },
    describe: (tool, change) => void device.descriptions.push({ tool, change }),
  };
}

/** The faults that are about each tool: those that hit its calls, and those that wait for them, as for a renewed sign-in. */
function routesOf(devices: readonly Device[]): ReadonlyMap<string, Route> {
  const routes = new Map<string, { readonly devices: Device[]; readonly counting: Device[] }>();
  for (const device of devices) {
    for (const tool of toolsOf(device)) {
      let route = routes.get(tool);
      if (route === undefined) routes.set(tool, (route = { devices: [], counting: [] }));
      if (!route.devices.includes(device)) route.devices.push(device);
      if (device.fault.tool === tool && !route.counting.includes(device))
        route.counting.push(device);
    }
  }
  return routes;
}

function toolsOf({ fault, type }: Device): readonly string[] {
  const tools = [fault.tool];
  for (const field in type.fields) {
    if (type.fields[field] !== "tool") continue;
    const tool = fault[field];
    if (typeof tool === "string") tools.push(tool);
  }
  return tools;
}

function outcomeOf({ fault, type, selector, count, missed, descriptions }: Device): FaultOutcome {
  if (count > 0) return { fault, reached: true, count };
  const why =
    descriptions.length > 0
      ? "waited for the agent to read the catalog of tools; it never did"
      : waitedFor(fault, type, { seen: selector.seen, missed });
  return { fault, reached: false, count, waitedFor: why };
}
