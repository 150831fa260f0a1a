import { type Clock, fraction } from "connect-rest-codec/internal";
import type { BreakerSettings } from "./breaker-options.ts";

/** The cooldown of an open circuit, which grows after each failed probe and is reset after a success. */
export class Cooldown {
  private readonly settings: Pick<BreakerSettings, "cooldownMs" | "maxCooldownMs">;
  private readonly clock: Clock;
  private currentMs: number;

  constructor(settings: Pick<BreakerSettings, "cooldownMs" | "maxCooldownMs">, clock: Clock) {
    this.settings = settings;
    this.clock = clock;
    this.currentMs = settings.cooldownMs;
  }

  /** The current cooldown, in whole milliseconds. */
  get ms(): number {
    return this.currentMs;
  }

  grow(): void {
    const longer = this.currentMs * (1.5 + fraction(this.clock));
    this.currentMs = Math.ceil(Math.min(longer, this.settings.maxCooldownMs));
  }
}
