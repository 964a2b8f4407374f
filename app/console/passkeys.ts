import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

import { pageText } from "./ui/texts.tsx";

/** A passkey operation failed. The message is shown to the user. */
export class PasskeyFailure extends Error {
  override name = "PasskeyFailure";
}

// Loaded on demand: few visits need it.
const library = () => import("@simplewebauthn/browser");

/** Whether this browser supports passkeys. */
export const hasPasskeys = () =>
  typeof window !== "undefined" && typeof window.PublicKeyCredential === "function";

/**
 * Asks the browser to sign the server's challenge.
 *
 * @throws PasskeyFailure
 */
export async function signWithPasskey(options: PublicKeyCredentialRequestOptionsJSON) {
  const { startAuthentication } = await library();
  const signed = await startAuthentication({ optionsJSON: options }).catch(inWords);
  return { ...signed, clientExtensionResults: { ...signed.clientExtensionResults } };
}

/**
 * Asks the browser to create a passkey.
 *
 * @throws PasskeyFailure
 */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON) {
  const { startRegistration } = await library();
  const made = await startRegistration({ optionsJSON: options }).catch(inWords);
  return { ...made, clientExtensionResults: { ...made.clientExtensionResults } };
}

function inWords(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError")
    throw new PasskeyFailure(pageText("passkey.exists"), { cause: error });
  if (name === "NotAllowedError" || name === "AbortError")
    throw new PasskeyFailure(pageText("passkey.canceled"), {
      cause: error,
    });
  throw new PasskeyFailure(pageText("passkey.failed"), { cause: error });
}
