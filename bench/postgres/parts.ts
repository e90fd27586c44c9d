export { givenFile } from '../store/setting.ts';
export { initPostgres } from '../../server/store/postgres/open.ts';
export { givenCluster, postgresFolder } from '../../test/support/postgres.ts';
