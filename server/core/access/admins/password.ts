import { randomBytes } from "node:crypto";

import { hash, verify } from "@node-rs/argon2";
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

import { PromiseCache } from "#server/core/shared/caches.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const PASSWORD_MIN = 12;
/** Caps the cost of hashing. */
const PASSWORD_MAX = 200;
const DISTINCT_CHARACTERS_MIN = 5;
/** Only the first characters are scored, because scoring takes more than linear time. */
const JUDGED_LENGTH = 64;
/** Lower zxcvbn scores mean fewer than a million guesses. */
const SCORE_MIN = 2;
/** Shorter words occur in good passwords by chance. */
const FORBIDDEN_WORD_MIN = 4;

/**
 * The form in which passwords are hashed: some keyboards type accented letters as two characters (NFD). Spaces stay as they
 * are.
 */
export const normalizePassword = (typed: string) => typed.normalize("NFC");

/**
 * Rejects a password that is too short, has too few distinct characters, contains a word known about its owner, such as
 * their name or address, or is common or similar to a common one (NIST SP 800-63B, 3.1.1.2).
 *
 * @param field form field that the error message starts with
 * @throws Refusal `invalid`
 */
export async function requireStrongPassword(
  typed: string,
  knownWords: string[],
  field = "password",
  lengthMin = PASSWORD_MIN,
): Promise<void> {
  const password = normalizePassword(typed);
  const invalid = (message: string) => new Refusal("invalid", `${field}: ${message}`);
  if (password.length < lengthMin) throw invalid(`must have at least ${lengthMin} characters`);
  if (password.length > PASSWORD_MAX) throw invalid(`must have at most ${PASSWORD_MAX} characters`);
  if (new Set(password).size < DISTINCT_CHARACTERS_MIN)
    throw invalid(`must use at least ${DISTINCT_CHARACTERS_MIN} different characters`);
  const lowercase = password.toLowerCase();
  const word = knownWords
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .find((part) => part.length >= FORBIDDEN_WORD_MIN && lowercase.includes(part));
  if (word) throw invalid(`must not contain "${word}", which is easy to guess`);
  const { score } = (await loadJudge()).check(password.slice(0, JUDGED_LENGTH));
  if (score < SCORE_MIN) throw invalid("is too easy to guess. Use a few unrelated words instead");
}

const judge = new PromiseCache<ZxcvbnFactory>({ max: 1 });

/** Loaded at first use: its list of common passwords takes 8 MB. */
const loadJudge = () =>
  judge.get("", async () => {
    const { ZxcvbnFactory } = await import("@zxcvbn-ts/core");
    const { adjacencyGraphs: graphs, dictionary } = await import("@zxcvbn-ts/language-common");
    return new ZxcvbnFactory({ dictionary, graphs });
  });

/** Hashes a password with Argon2id. */
export const hashPassword = (password: string) => hash(normalizePassword(password));

const dummyHash = new PromiseCache<string>({ max: 1 });

/**
 * Verifies a password. Hashes even when `passwordHash` is null, so that timing doesn't reveal which addresses
 * exist.
 */
export async function passwordMatches(
  password: string,
  passwordHash: string | null,
): Promise<boolean> {
  const dummy = dummyHash.get("dummy", () => hash(randomBytes(24).toString("base64url")));
  const cut = normalizePassword(password).slice(0, PASSWORD_MAX + 1);
  const matches = await verify(passwordHash ?? (await dummy), cut);
  return passwordHash !== null && matches;
}
