import { errorIn } from "./client.ts";
import { type About, Schema } from "./schema.ts";
import { session } from "./session.ts";

/** Loads the schema from the gateway. */
export async function loadSchema(): Promise<Schema> {
  // the first request finds out whether the gateway needs a token
  const about = (await (await get("about.json")).json()) as About;
  const [files, comments] = await Promise.all([
    get("schema.binpb").then((response) => response.arrayBuffer()),
    get("comments.json").then((response) => response.json() as Promise<Record<string, string>>),
  ]);
  return new Schema(about, new Uint8Array(files), comments);
}

async function get(name: string): Promise<Response> {
  const path = `/console/${name}`;
  const response = await session.fetch(path);
  if (response.ok) return response;
  throw errorIn(
    await response.text(),
    `${path}: status ${response.status}`,
    response.headers.get("www-authenticate"),
  );
}
