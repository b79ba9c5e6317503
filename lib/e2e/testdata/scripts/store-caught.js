import redis from 'k6/x/redis';

const client = new redis.Client(__ENV.BASE_URL.replace('resp:', 'redis:'));

export default function () {
  client.get('a').catch(() => {});
}
