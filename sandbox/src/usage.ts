import type { World } from "./world.ts";

const DAY = 86_400;

/** Returns how often a subject used a feature on the current calendar day (UTC). */
export function usedToday(world: World, subject: string, feature: string): number {
  const day = Math.floor(world.clock.seconds() / DAY);
  return world.db.count(
    "SELECT used AS n FROM usage WHERE subject = ? AND feature = ? AND day = ?",
    subject,
    feature,
    day,
  );
}

/** Returns the header of a 429 that states when the day ends and all daily limits are reset. */
export function untilTomorrow(world: World): { "retry-after": string } {
  return { "retry-after": String(DAY - (world.clock.seconds() % DAY)) };
}

/** Adds to the number of uses of a feature on a day. */
export function useToday(world: World, subject: string, feature: string, amount = 1): void {
  const day = Math.floor(world.clock.seconds() / DAY);
  world.db.run(
    `INSERT INTO usage (subject, feature, day, used) VALUES (?, ?, ?, ?)
     ON CONFLICT (subject, feature, day) DO UPDATE SET used = used + excluded.used`,
    subject,
    feature,
    day,
    amount,
  );
}
