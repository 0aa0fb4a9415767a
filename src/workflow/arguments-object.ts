import { decode, encode } from "../shared/encode.ts";
import { isObject, type Json } from "../shared/json.ts";
import { markerKind } from "../shared/marker.ts";

/**
 * Recorded arguments as an agent can give them again: an object, as every call of a world has; anything else is its only
 * member. Values that JSON cannot hold have the form that they come back in.
 */
export function asArguments(args: Json): Json {
  const named = isObject(args) && (markerKind(args) ?? "object") === "object";
  return encode(decode(named ? args : { _0: args }));
}
