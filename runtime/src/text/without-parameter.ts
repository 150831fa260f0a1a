/** Takes a parameter out of an encoded query; what stays, stays as it was written. */
export function withoutParameter(query: string, name: string | undefined): string {
  if (name === undefined || query === "") return query;
  return query
    .split("&")
    .filter((pair) => !new URLSearchParams(`?${pair}`).has(name))
    .join("&");
}
