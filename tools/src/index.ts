export { toolsGenerator } from "./generator.ts";
