import { passwordMark } from "#server/core/access/sign-in/verify-password.ts";

/**
 * Wrong passwords for an account whose marks differ from each other and from that of `right`: passwords with the same mark
 * count as one attempt, which happens by chance to two of eleven in one of 75 runs.
 */
export function distinctGuesses(account: string, count: number, right: string): string[] {
  const guesses = new Map([[passwordMark(account, right), right]]);
  for (let n = 0; guesses.size <= count; n++) {
    const guess = `guess number ${n}`;
    const mark = passwordMark(account, guess);
    if (!guesses.has(mark)) guesses.set(mark, guess);
  }
  return [...guesses.values()].slice(1);
}
