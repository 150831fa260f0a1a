/** Prints the latest versions of npm packages: `node main.ts @bufbuild/protobuf undici`. */
import { ConnectError, createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import { RegistryService } from "./gen/registry/v1/registry_pb.ts";
import { RegistryServiceRest } from "./gen/registry/v1/registry_rest.ts";

const baseUrl = process.env.REGISTRY_URL ?? "https://registry.npmjs.org";
const transport = createRestTransport({
  adapters: [RegistryServiceRest],
  upstreams: { registry: { baseUrl } },
});
const client = createClient(RegistryService, transport);

for (const name of process.argv.slice(2)) {
  try {
    const { version, license, tarball } = await client.getLatest({ name });
    process.stdout.write(`${name} ${version}, ${license}: ${tarball}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${ConnectError.from(error).message}\n`);
    process.exitCode = 1;
  }
}
await transport.close();
