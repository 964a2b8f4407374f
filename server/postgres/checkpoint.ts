import postgres from "postgres";

/** Runs a checkpoint, so that the shutdown has little left to write. */
export async function checkpoint(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`checkpoint`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
