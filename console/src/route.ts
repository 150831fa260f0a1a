import { useEffect, useState } from "preact/hooks";

/** Returns what the address names after `#/`: a method, `state`, or nothing. */
function current(): string {
  return decodeURIComponent(location.hash.replace(/^#\/?/, ""));
}

/** Returns the current place, and renders again when it changes. */
export function useRoute(): string {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const change = () => setRoute(current());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return route;
}
