/** Runs one command line; answers the exit status. Never ends the process: a pipe would lose what is still unwritten. */
export async function main(host: NodeJS.Process): Promise<number> {
  host.stderr.write('error: no command yet\n');
  return 2;
}
