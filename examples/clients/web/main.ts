/** Shows the latest versions of npm packages. Calls the gateway over gRPC-Web. */
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { RegistryService } from "./gen/registry/v1/registry_pb.ts";

const transport = createGrpcWebTransport({ baseUrl: "http://127.0.0.1:8080" });
const client = createClient(RegistryService, transport);
const print = (line: string) => document.getElementById("output")?.append(`${line}\n`);

for (const name of ["@types/node", "@types/nothing"]) {
  try {
    const { version } = await client.getLatest({ name });
    print(`${name} ${version}`);
  } catch (error) {
    print(`${name} ${Code[ConnectError.from(error).code]}`);
  }
}
