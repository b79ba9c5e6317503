import redis from 'k6/x/redis';

const client = new redis.Client(__ENV.BASE_URL.replace('resp:', 'redis:'));

export default async function () {
  const stored = await client.get('a');
  if (stored.length === 0) throw new Error('nothing is stored');
}
