import { fork } from "node:child_process"; import { once } from "node:events"; import { connect } from "node:http2"; import { createServer } from "node:http";
import { toBinary, create } from "@bufbuild/protobuf";
import { UploadLegacyVideoRequestSchema } from "../gen/blog/v1/legacy_post_pb.ts";
const sink = createServer((q, s) => { let n = 0; q.on("data", (c) => n += c.length); q.on("end", () => s.setHeader("content-type","application/json").end(JSON.stringify({ meta:{status:201,msg:"Created"},response: { id: n } }))); }).listen(0, "127.0.0.1"); await once(sink, "listening");
const up = `http://127.0.0.1:${(sink.address() as any).port}`;
const env = (b: Uint8Array) => { const h = Buffer.alloc(5); h.writeUInt32BE(b.length, 1); return Buffer.concat([h, b]); };
const msg = (v: any) => env(toBinary(UploadLegacyVideoRequestSchema, create(UploadLegacyVideoRequestSchema, v)));
const N = Number(process.argv[3] ?? 40000); const size = Number(process.argv[4] ?? 10);
const body = Buffer.concat([msg({ blogIdentifier: "a", contentType: "video/mp4", filename: "a.mp4" }), ...Array(N).fill(msg({ chunk: new Uint8Array(size) }))]);
for (const kind of (process.argv[2] ?? "gateway,connect").split(",")) {
  const child = fork(new URL("./up-server.ts", import.meta.url).pathname, [kind, up], { execArgv: kind === "gateway" && process.argv[5] === "prof" ? ["--cpu-prof", "--cpu-prof-dir=/tmp/prof"] : [] });
  const [port] = (await once(child, "message")) as [number];
  const cpu = async () => { const r = once(child, "message"); child.send("x"); return ((await r) as [number])[0]; };
  const session = connect(`http://127.0.0.1:${port}`);
  for (let k = 0; k < 4; k++) {
    const before = await cpu();
    const s = session.request({ ":method": "POST", ":path": "/blog.v1.PostService/UploadLegacyVideo", "content-type": "application/grpc", te: "trailers" });
    let out = ""; s.on("data", (d) => out += d.toString("latin1")); let tr: any; s.on("trailers", (t) => tr = t); let h: any; s.on("response", (x) => h = x);
    if (process.env.FRAMES) { let at = 0; const closed = once(s, "close"); for (;at < body.length && !s.closed;) { const l = 5 + body.readUInt32BE(at + 1); if (!s.write(body.subarray(at, at + l))) await Promise.race([once(s, "drain"), closed]); at += l; } s.end(); await closed; } else { s.end(body); await once(s, "close"); }
    console.log(kind, ((await cpu() - before) * 1000 / N).toFixed(1), "us/message", tr?.["grpc-status"], decodeURIComponent(tr?.["grpc-message"] ?? h?.["grpc-message"] ?? ""));
  }
  session.close(); child.disconnect();
}
sink.close(); sink.closeAllConnections();
