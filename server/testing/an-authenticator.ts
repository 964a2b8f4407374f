import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

import { config } from "#server/config.ts";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest();

type Conditions = {
  origin?: string;
  /** Whether it verifies the user. */
  verifies?: boolean;
  /** The signature counter. */
  counter?: number;
};

/**
 * A software security key (WebAuthn Level 3, 6): creates one passkey, without attestation, and signs with
 * it.
 */
export function anAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(16);
  const id = credentialId.toString("base64url");
  let signatures = 0;

  function data(flags: number, counter: number, rest = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const rpIdHash = sha256(new URL(config().baseUrl).hostname);
    return Buffer.concat([rpIdHash, Buffer.from([flags]), count, rest]);
  }

  function clientData(type: string, challenge: string, origin = config().baseUrl): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  const base = { id, rawId: id, type: "public-key" as const, clientExtensionResults: {} };
  return {
    id,

    /** Answers `navigator.credentials.create`. */
    create({ challenge }: { challenge: string }, { origin, verifies = true }: Conditions = {}) {
      const { x, y } = publicKey.export({ format: "jwk" });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      // COSE_Key: EC2, ES256, P-256.
      const key = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x!, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y!, "base64url"),
      ]);
      const flags = PRESENT | HAS_CREDENTIAL | (verifies ? VERIFIED : 0);
      const rest = Buffer.concat([Buffer.alloc(16), length, credentialId, key]);
      const authData = data(flags, 0, rest);
      const size = Buffer.alloc(2);
      size.writeUInt16BE(authData.length);
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from("fmt"),
        Buffer.from([0x64]),
        Buffer.from("none"),
        Buffer.from([0x67]),
        Buffer.from("attStmt"),
        Buffer.from([0xa0, 0x68]),
        Buffer.from("authData"),
        Buffer.from([0x59]),
        size,
        authData,
      ]);
      return {
        ...base,
        response: {
          clientDataJSON: clientData("webauthn.create", challenge, origin).toString("base64url"),
          attestationObject: attestation.toString("base64url"),
          transports: ["usb"],
        },
      };
    },

    /** Answers `navigator.credentials.get`. */
    get({ challenge }: { challenge: string }, conditions: Conditions = {}) {
      const { origin, verifies = true, counter = (signatures += 1) } = conditions;
      const authData = data(PRESENT | (verifies ? VERIFIED : 0), counter);
      const client = clientData("webauthn.get", challenge, origin);
      const signature = sign("sha256", Buffer.concat([authData, sha256(client)]), privateKey);
      return {
        ...base,
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: signature.toString("base64url"),
        },
      };
    },
  };
}
