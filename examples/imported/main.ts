/** Prints a block of the chain, by its number or hash: `node main.ts latest`. */
import { createClient } from "@connectrpc/connect";
import { createRestTransport, Secret } from "connect-rest-runtime";
import { CardanoBlocksService } from "./gen/blockfrost/v1/cardano_blocks_pb.ts";
import { CardanoBlocksServiceRest } from "./gen/blockfrost/v1/cardano_blocks_rest.ts";

const transport = createRestTransport({
  adapters: [CardanoBlocksServiceRest],
  upstreams: {
    blockfrost: {
      baseUrl: process.env.BLOCKFROST_URL ?? "https://cardano-mainnet.blockfrost.io/api/v0",
      credentials: { apiKey: new Secret(process.env.BLOCKFROST_KEY ?? "") },
    },
  },
});
const client = createClient(CardanoBlocksService, transport);
const { blockContent: block } = await client.getBlock({ hashOrNumber: process.argv[2] ?? "latest" });
process.stdout.write(
  `block ${block?.height} has ${block?.txCount} transactions and a size of ${block?.size} bytes\n`,
);
await transport.close();
