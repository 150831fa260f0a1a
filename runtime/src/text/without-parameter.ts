/** Removes a parameter from an encoded query; the other parameters stay unchanged. */
export function withoutParameter(query: string, name: string | undefined): string {
  if (name === undefined || query === "") return query;
  return query
    .split("&")
    .filter((pair) => !new URLSearchParams(`?${pair}`).has(name))
    .join("&");
}
