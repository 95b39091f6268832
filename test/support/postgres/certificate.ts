import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

const oid = {
  commonName: [0x55, 0x04, 0x03],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  subjectAltName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
};

/** A certificate that is its own authority, for a server of this name: what `openssl req -x509` makes, on any machine. */
export function selfSigned(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, der(0x06, oid.ecdsaWithSha256));
  const who = der(0x30, der(0x31, der(0x30, der(0x06, oid.commonName), der(0x0c, Buffer.from(name)))));
  const names = der(0x30, der(0x82, Buffer.from(name)));
  const said = der(
    0x30,
    der(0xa0, der(0x02, [2])),
    der(0x02, [0x40, ...randomBytes(8)]),
    algorithm,
    who,
    der(0x30, time(-86_400_000), time(86_400_000)),
    who,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      der(
        0x30,
        der(0x30, der(0x06, oid.basicConstraints), der(0x01, [0xff]), der(0x04, der(0x30, der(0x01, [0xff])))),
        der(0x30, der(0x06, oid.subjectAltName), der(0x04, names)),
      ),
    ),
  );
  const signature = sign("sha256", said, privateKey);
  const whole = der(0x30, said, algorithm, der(0x03, [0], signature));
  const lines = whole.toString("base64").replace(/(.{64})/g, "$1\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly (Buffer | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function time(fromNowMs: number): Buffer {
  const text = new Date(Date.now() + fromNowMs).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}
