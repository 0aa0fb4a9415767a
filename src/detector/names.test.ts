import { expect, test } from "vitest";
import { effectOfName } from "./names.ts";

test("tracking and planning one's own work is a note, tracking a thing on its way is a look", () => {
  for (const name of ["track", "track_event", "plan", "plan_tasks", "trace", "trackProgress"])
    expect(effectOfName(name)).toBe("note");
  for (const name of ["track_parcel", "trackOrder", "plan_route", "trace_ip", "shop.track-order"])
    expect(effectOfName(name)).toBe("read");
});

test("a log, a comment and a thought stay notes whatever they are about", () => {
  for (const name of ["log_order", "comment_order", "think_about_route", "record_parcel"])
    expect(effectOfName(name)).toBe("note");
});
