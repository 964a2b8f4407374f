const PLACE = /^(?:[a-z]{4,}|(?!SystemV\/)[a-z]+\/[a-z0-9_/+-]+)$/i;

/**
 * Returns the IANA time zone with this name, in its canonical case; null if there is none.
 *
 * Abbreviations (EST, CET, GMT) and offsets are rejected although the database lists some. A link keeps its
 * own name, because which of two linked names is primary has changed over time (Asia/Calcutta, Asia/Kolkata).
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
