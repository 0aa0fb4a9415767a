import { crc32, deflateRawSync } from "node:zlib";

/** A member of an archive that a test packs; the last four tell lies about it. */
export interface PackedFile {
  readonly name: string;
  readonly bytes: string | Uint8Array;
  readonly stored?: boolean;
  readonly packed?: Buffer;
  readonly size?: number;
  readonly method?: number;
  readonly flags?: number;
}

/** A zip archive of these members. */
export function zipOf(files: readonly PackedFile[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const plain = Buffer.from(file.bytes as Uint8Array);
    const body = file.packed ?? (file.stored === true ? plain : deflateRawSync(plain));
    const name = Buffer.from(file.name, "utf8");
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(file.flags ?? 0, 2);
    fields.writeUInt16LE(file.method ?? (file.stored === true ? 0 : 8), 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(body.length, 14);
    fields.writeUInt32LE(file.size ?? plain.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([signature(0x04034b50), fields, name, body]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), fields, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
