import http from "node:http";
import { FORWARDED, fetchBy } from "../../test/support/authorized-gateway.ts";
import { OAuthSteps } from "../../test/support/oauth-steps.ts";
import type { Attack } from "../attacks/attack.ts";
import { PATH, request } from "../watch/request.ts";
import { Watchers } from "../watch/watchers.ts";
import { call } from "./call.ts";

/** Calls of a well-behaved client with an address other than the attacker's. */
export interface Others extends Disposable {
  /** Makes a call. Resolves to true if the call succeeded. */
  readonly make: () => Promise<boolean>;
}

/** The time for which a client waits for the first message of a feed, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Returns the calls that the attack specifies. */
export async function othersOf({ others, serves }: Attack, port: number): Promise<Others> {
  if (others === "a feed of its own") return watching(port);
  const isAuthorized = serves === "authorization";
  // A gateway with authorization is called through a proxy, which sends the client's address in a header.
  const agent = new http.Agent({
    keepAlive: true,
    ...(isAuthorized ? {} : { localAddress: "127.0.0.2" }),
  });
  const headers = isAuthorized ? await authorized(port) : {};
  return {
    make: async () => (await call(port, { agent, headers })).status === 200,
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function watching(port: number): Others {
  let feeds = 0;
  return {
    make: async () => {
      const watchers = new Watchers();
      const body = request({ owner: `other${feeds++}` });
      await watchers.open(port, PATH, body, 1, ["127.0.0.2"]);
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<boolean>((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS, false);
      });
      const isServed = await Promise.race([watchers.until(1).then(() => true), tooLate]);
      clearTimeout(timer);
      watchers.close();
      return isServed;
    },
    [Symbol.dispose]: () => undefined,
  };
}

/** Returns the headers of another client with an access token. */
async function authorized(port: number): Promise<Readonly<Record<string, string>>> {
  const forwarded = { ...FORWARDED, "x-forwarded-for": "203.0.113.9" };
  const steps = new OAuthSteps({ fetch: fetchBy(`http://127.0.0.1:${port}`) });
  const registered = await steps.register({ grant_types: ["client_credentials"] }, forwarded);
  const { client_id, client_secret } = registered.body;
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
  const granted = await steps.token(
    { grant_type: "client_credentials", scope: "posts" },
    { ...forwarded, authorization: `Basic ${basic}` },
  );
  if (granted.status !== 200) throw new Error(`no access token: ${registered.text} ${granted.text}`);
  return { ...forwarded, authorization: `Bearer ${granted.body.access_token}` };
}
