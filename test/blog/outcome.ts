import { failureOf } from "../end-to-end/failure.ts";
import type { Case } from "./case.ts";
import type { BlogWorld, Way } from "./world.ts";

/** The result of a call. */
export type Outcome =
  | { readonly answer: unknown }
  | { readonly code: string; readonly reason: string; readonly text: string };

/** Runs a case from the seeded state. */
export async function outcomeOf(each: Case, way: Way, world: BlogWorld): Promise<Outcome> {
  world.reset();
  world.identity = each.as;
  await each.prepare(world);
  const api = world.api(way);
  try {
    return { answer: await each.call(api, world) };
  } catch (error) {
    const { code, reason = "", text } = await failureOf(Promise.reject(error));
    return { code, reason, text };
  }
}
