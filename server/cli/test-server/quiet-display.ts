import { Display } from "#server/cli/display.mjs";

/** Shows problems only, on standard error: standard output is for programs. */
export class QuietDisplay extends Display {
  constructor() {
    super(process.stderr);
  }

  override async step(_title: string, work: () => Promise<unknown>): Promise<void> {
    await work();
  }
}
