import { reachedOf, type Schedule, type Search, type Tried } from "./search.ts";

/**
 * The smallest schedule below a bad one: without what was not reached, without each fault that is not needed, and in the order in which
 * the calls were asked where the order does not matter. Always ends, and always on a schedule that was seen to be bad.
 */
export async function shrink(search: Search, found: Tried): Promise<Tried> {
  let smallest = await reachedOnly(search, found);
  for (let again = true; again;) {
    again = false;
    for (const schedule of smaller(smallest.schedule)) {
      const tried = await search.try(schedule);
      if (tried.said === undefined) continue;
      smallest = await reachedOnly(search, tried);
      again = true;
      break;
    }
  }
  return smallest;
}

async function reachedOnly(search: Search, found: Tried): Promise<Tried> {
  const reached = reachedOf(found);
  if (reached.length === found.schedule.faults.length) return found;
  const tried = await search.try({ ...found.schedule, faults: reached });
  return tried.said === undefined ? found : tried;
}

function smaller({ faults, order, task }: Schedule): Schedule[] {
  const fewer = faults.map((_, leave) => ({
    faults: faults.filter((_fault, n) => n !== leave),
    task,
    ...(order === undefined ? {} : { order }),
  }));
  return order === undefined ? fewer : [{ faults, task }, ...fewer];
}
