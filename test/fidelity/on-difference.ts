import { createRestTransport, type ServiceAdapter } from "connect-rest-runtime";

/** Creates a transport that counts, by method and path, the values that responses lose. */
export function countingTransport(adapter: ServiceAdapter, baseUrl: string, lost: Map<string, number>) {
  return createRestTransport({
    adapters: [adapter],
    upstreams: { rules: { baseUrl } },
    onDifference: ({ method, differences }) => {
      for (const { class: kind, path, expected, got } of differences) {
        if (kind !== "lost") continue;
        const place = `${method.name} ${path}: expected ${expected}, got ${got}`;
        lost.set(place, (lost.get(place) ?? 0) + 1);
      }
    },
  });
}
