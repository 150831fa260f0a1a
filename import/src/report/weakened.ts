import type { Message, Service } from "../proto/model.ts";
import type { Report } from "./report.ts";

/**
 * Counts fields and operations, and how many of them allow more than the document. Additional methods repeat
 * operations, so their messages do not count.
 */
export function countWeakened(
  report: Report,
  services: readonly Service[],
  messages: readonly Message[],
): void {
  const every = services.flatMap((service) => service.methods);
  const methods = every.filter(({ isAdditional }) => !isAdditional);
  const repeated = new Set(
    every.filter(({ isAdditional }) => isAdditional).flatMap(({ input, output }) => [input, output]),
  );
  const all = messages.filter((message) => !repeated.has(message)).flatMap(withNested);
  report.fields = all.reduce((sum, { fields }) => sum + fields.length, 0);
  report.weakenedFields = all.reduce((sum, message) => sum + weakenedIn(message), 0);
  report.operations = methods.length;
  report.weakenedOperations = methods.filter(({ input, output }) => reachesWeakened([input, output])).length;
}

function withNested(message: Message): Message[] {
  return [message, ...message.messages.flatMap(withNested)];
}

function weakenedIn({ fields }: Message): number {
  return fields.filter(({ weakened }) => weakened !== undefined).length;
}

function reachesWeakened(roots: readonly Message[]): boolean {
  const seen = new Set(roots);
  for (const message of seen) {
    if (weakenedIn(message) > 0) return true;
    for (const { type } of message.fields) if (type.kind === "message") seen.add(type.message);
  }
  return false;
}
