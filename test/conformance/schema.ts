import { readFileSync } from "node:fs";
import {
  createFileRegistry,
  type DescMessage,
  type DescService,
  type FileRegistry,
  fromBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const PACKAGE = "connectrpc.conformance.v1";

/** The suite's schema: the descriptors that `buf build` writes for the suite's protos. */
export class Schema {
  readonly types: FileRegistry;

  constructor(descriptorFile: string) {
    this.types = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptorFile)));
  }

  get service(): DescService {
    return this.found(this.types.getService(`${PACKAGE}.ConformanceService`), "ConformanceService");
  }

  message(name: string): DescMessage {
    return this.found(this.types.getMessage(`${PACKAGE}.${name}`), name);
  }

  private found<T>(value: T | undefined, name: string): T {
    if (value === undefined) throw new Error(`the suite's schema has no ${PACKAGE}.${name}`);
    return value;
  }
}
