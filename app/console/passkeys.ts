import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** Nothing came of a passkey, with words for the reader. */
export class PasskeyFailure extends Error {
  override name = "PasskeyFailure";
}

// Few visits need it.
const library = () => import("@simplewebauthn/browser");

/** Whether this browser has passkeys. */
export const hasPasskeys = () =>
  typeof window !== "undefined" && typeof window.PublicKeyCredential === "function";

/** Has the browser sign what the server asks for. @throws PasskeyFailure */
export async function signWithPasskey(options: PublicKeyCredentialRequestOptionsJSON) {
  const { startAuthentication } = await library();
  const signed = await startAuthentication({ optionsJSON: options }).catch(inWords);
  return { ...signed, clientExtensionResults: { ...signed.clientExtensionResults } };
}

/** Has the browser make a passkey. @throws PasskeyFailure */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON) {
  const { startRegistration } = await library();
  const made = await startRegistration({ optionsJSON: options }).catch(inWords);
  return { ...made, clientExtensionResults: { ...made.clientExtensionResults } };
}

function inWords(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError")
    throw new PasskeyFailure("This device already has a passkey of yours.", { cause: error });
  if (name === "NotAllowedError" || name === "AbortError")
    throw new PasskeyFailure("No passkey was used. Try again when you are ready.", {
      cause: error,
    });
  throw new PasskeyFailure("This browser could not use a passkey here.", { cause: error });
}
