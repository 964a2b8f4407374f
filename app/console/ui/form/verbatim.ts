/** Properties of inputs for addresses, names and code, which browsers must neither complete nor correct. */
export const VERBATIM = {
  autoComplete: "off",
  autoCapitalize: "off",
  spellCheck: false,
} as const;
