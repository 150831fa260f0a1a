import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { startAuthorized } from "./authorized-gateway.ts";
import { MACHINE, MACHINE_SECRET } from "./machine-client.ts";
import { OAuthSteps } from "./oauth-steps.ts";

/**
 * A process that issues tokens until it is killed. It prints each token when a client would receive the
 * token.
 */
const [, , file = ""] = process.argv;
const limits = {
  drainNoticeMs: 1,
  authorizationRequestsPerClient: 1_000_000,
  authorizationRequestsPerMinute: 1_000_000,
};
const served = await startAuthorized(
  { store: new SqliteStore({ file }), clients: [MACHINE] as never },
  { limits },
);
const steps = new OAuthSteps(served);
const clientId = await steps.publicClient();
const form = { grant_type: "client_credentials", client_id: "machine", client_secret: MACHINE_SECRET };
let { body: person } = await steps.redeem(clientId, await steps.code(clientId));
process.stdout.write(`client ${clientId}\nrefresh ${person.refresh_token}\n`);
for (;;) {
  const own = await steps.token(form);
  process.stdout.write(`access ${own.body.access_token}\n`);
  person = (await steps.refresh(clientId, person.refresh_token)).body;
  process.stdout.write(`access ${person.access_token}\nrefresh ${person.refresh_token}\n`);
}
