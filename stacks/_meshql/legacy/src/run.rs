//! From the first record to the stop.
//!
//! Phases: what is there at the start is read in the order in which foreign keys resolve, each phase to the end that its
//! topics had when it began. Then all topics are read, for ever.

use crate::api::Api;
use crate::dead::DeadLetters;
use crate::flags::Flags;
use crate::kafka::{Batch, Kafka, all_of, end_of, follow};
use crate::offsets::Offsets;
use crate::processor::{Processor, Settings};
use crate::progress::Progress;
use crate::table::Table;
use rskafka::client::partition::PartitionClient;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Phases at the start; the one after them is for ever.
const PHASES: usize = 4;

/// Answers of the broker that wait to be taken, and are taken at once.
const BATCHES: usize = 20;

/// Rows that wait are looked after at least so often.
const TICK: Duration = Duration::from_millis(250);

/// How long the records at hand may take after a stop was asked for.
const GRACE: Duration = Duration::from_secs(5);

type Partitions = HashMap<Table, Arc<PartitionClient>>;

/// Runs until `stop` is true.
///
/// # Errors
/// Why it cannot begin.
pub async fn run(
    flags: &Flags,
    progress: Arc<Progress>,
    stop: watch::Receiver<bool>,
) -> Result<(), String> {
    let offsets = Offsets::open(&flags.data_dir)?;
    let mut stopped = stop.clone();
    let begin = begin(flags, offsets, Arc::clone(&progress));
    let (mut processor, partitions) = tokio::select! {
        biased;
        _ = stopped.wait_for(|stop| *stop) => return Ok(()),
        begun = begin => begun?,
    };
    let (sender, mut batches) = mpsc::channel(BATCHES);
    for phase in 1..=PHASES + 1 {
        progress.phase(phase);
        let ends = start_phase(phase, &processor, &partitions, &sender, &stop).await?;
        let goal = (phase <= PHASES).then_some(&ends);
        if !consume(&mut processor, &mut batches, goal, &stop).await {
            break;
        }
    }
    processor.save();
    Ok(())
}

/// Prints the dead letters, a line each.
///
/// # Errors
/// When the topic cannot be read.
pub async fn print_dead_letters(flags: &Flags) -> Result<(), String> {
    let kafka = Kafka::connect(&flags.kafka, &flags.topics).await;
    let topic = kafka.partition(&flags.dead_letters, flags.replicas).await?;
    for (_, letter) in all_of(&topic).await? {
        println!("{letter}");
    }
    Ok(())
}

async fn begin(
    flags: &Flags,
    offsets: Offsets,
    progress: Arc<Progress>,
) -> Result<(Processor, Partitions), String> {
    let kafka = Arc::new(Kafka::connect(&flags.kafka, &flags.topics).await);
    let mut partitions = Partitions::new();
    for table in Table::ALL {
        let topic = kafka.topic_of(table);
        partitions.insert(table, kafka.partition(&topic, flags.replicas).await?);
    }
    let dead = kafka.partition(&flags.dead_letters, flags.replicas).await?;
    let dead = DeadLetters::open(dead).await?;
    let settings = Settings {
        client: flags.client.clone(),
        patience: Duration::from_secs(flags.patience_sec),
    };
    let api = Api::new(&flags.api);
    let mut processor = Processor::new((api, kafka), (dead, offsets), progress, settings);
    processor.learn().await;
    Ok((processor, partitions))
}

/// Begins to read the topics of a phase; returns where they end now.
async fn start_phase(
    phase: usize,
    processor: &Processor,
    partitions: &Partitions,
    sender: &mpsc::Sender<Batch>,
    stop: &watch::Receiver<bool>,
) -> Result<HashMap<Table, i64>, String> {
    let mut ends = HashMap::new();
    for table in Table::ALL
        .into_iter()
        .filter(|table| table.phase() == phase)
    {
        let partition = &partitions[&table];
        ends.insert(table, end_of(partition).await?);
        let from = processor.next(table);
        tokio::spawn(follow(
            table,
            Arc::clone(partition),
            from,
            sender.clone(),
            stop.clone(),
        ));
    }
    Ok(ends)
}

/// Takes records until the topics are done up to `goal`; without one, for ever. False: it was told to stop.
async fn consume(
    processor: &mut Processor,
    batches: &mut mpsc::Receiver<Batch>,
    goal: Option<&HashMap<Table, i64>>,
    stop: &watch::Receiver<bool>,
) -> bool {
    let mut stopped = stop.clone();
    loop {
        let reached = |(table, end): (&Table, &i64)| processor.next(*table) >= *end;
        if goal.is_some_and(|ends| ends.iter().all(reached)) {
            return true;
        }
        let mut some = Vec::new();
        tokio::select! {
            biased;
            _ = stopped.wait_for(|stop| *stop) => return false,
            _ = batches.recv_many(&mut some, BATCHES) => {}
            () = tokio::time::sleep(TICK) => {}
        }
        let mut told = stop.clone();
        let told = async move {
            let _ = told.wait_for(|stop| *stop).await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            () = processor.take(some) => {}
            // What is not done is delivered again at the next start.
            () = told => return false,
        }
    }
}
