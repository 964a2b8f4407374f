/** Props of inputs for addresses, names and code, so that browsers neither complete nor correct them. */
export const VERBATIM = {
  autoComplete: "off",
  autoCapitalize: "off",
  spellCheck: false,
} as const;
