/** Removes a parameter from an encoded query. The other parameters are not changed. */
export function withoutParameter(query: string, name: string | undefined): string {
  if (name === undefined || query === "") return query;
  return query
    .split("&")
    .filter((pair) => !new URLSearchParams(`?${pair}`).has(name))
    .join("&");
}
