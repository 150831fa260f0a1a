import { useEffect, useState } from "preact/hooks";

/** Returns the address after `#/`: a method and its request, or nothing. */
function current(): string {
  return location.hash.replace(/^#\/?/, "");
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
