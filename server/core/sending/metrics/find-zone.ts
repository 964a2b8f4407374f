const PLACE = /^(?:[a-z]{4,}|(?!SystemV\/)[a-z]+\/[a-z0-9_/+-]+)$/i;

/**
 * The IANA time zone of a name, in the spelling to show; null for what is none.
 *
 * Abbreviations count as none although the database lists some of them (EST, CET, GMT), and so do
 * offsets. Case is ignored. A link keeps its own name: which of two linked names is the main one has
 * changed over time (Asia/Calcutta, Asia/Kolkata).
 */
export function findZone(name: string): string | null {
  if (name.toUpperCase() === "UTC") return "UTC";
  const known = PLACE.test(name) ? zoneKnownAs(name) : null;
  return known?.toLowerCase() === name.toLowerCase() ? known : known && name;
}

function zoneKnownAs(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
