//! What an event does to a projection. Pure.

use serde::{Deserialize, Serialize};

/// A change of one projection by one event.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Inventory {
        movement: Movement,
        eggs: i64,
    },
    Productivity {
        farm_id: String,
        eggs: i64,
        good: bool,
    },
    Output {
        eggs: i64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Movement {
    Deposit,
    Withdrawal,
    TransferOut,
    TransferIn,
    Consumption,
}

/// `container_inventory`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inventory {
    pub container_id: String,
    pub current_eggs: i64,
    pub total_deposits: i64,
    pub total_withdrawals: i64,
    pub total_transfers_in: i64,
    pub total_transfers_out: i64,
    pub total_consumed: i64,
    pub utilization_pct: f64,
}

impl Inventory {
    /// The five totals do not depend on the order of events; `current_eggs`, never below 0, does.
    pub fn apply(&mut self, movement: Movement, eggs: i64) {
        let (total, sign) = match movement {
            Movement::Deposit => (&mut self.total_deposits, 1),
            Movement::Withdrawal => (&mut self.total_withdrawals, -1),
            Movement::TransferOut => (&mut self.total_transfers_out, -1),
            Movement::TransferIn => (&mut self.total_transfers_in, 1),
            Movement::Consumption => (&mut self.total_consumed, -1),
        };
        *total = total.saturating_add(eggs);
        self.current_eggs = self.current_eggs.saturating_add(sign * eggs).max(0);
    }
}

/// `hen_productivity`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Productivity {
    pub hen_id: String,
    pub farm_id: String,
    pub eggs_today: i64,
    pub eggs_week: i64,
    pub eggs_month: i64,
    pub total_eggs: i64,
    pub avg_per_week: f64,
    pub quality_rate: f64,
}

impl Productivity {
    pub fn apply(&mut self, eggs: i64, good: bool) {
        let before = self.total_eggs;
        for count in [
            &mut self.eggs_today,
            &mut self.eggs_week,
            &mut self.eggs_month,
            &mut self.total_eggs,
        ] {
            *count = count.saturating_add(eggs);
        }
        self.avg_per_week = self.eggs_week as f64;
        let good_eggs = if good { eggs as f64 } else { 0.0 };
        self.quality_rate = if before > 0 {
            // Rounding must not leave the range that the schema allows.
            ((self.quality_rate * before as f64 + good_eggs) / self.total_eggs as f64)
                .clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(good))
        };
    }
}

/// `farm_output`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Output {
    pub farm_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub farm_type: Option<String>,
    pub eggs_today: i64,
    pub eggs_week: i64,
    pub eggs_month: i64,
    pub active_hens: i64,
    pub total_hens: i64,
    pub avg_per_hen_per_week: f64,
}

impl Output {
    pub fn apply(&mut self, eggs: i64) {
        for count in [
            &mut self.eggs_today,
            &mut self.eggs_week,
            &mut self.eggs_month,
        ] {
            *count = count.saturating_add(eggs);
        }
        self.avg_per_hen_per_week = self.eggs_week as f64 / self.total_hens.max(1) as f64;
    }
}

/// Whether eggs of this quality are sold; an unknown quality counts as the best.
pub fn is_good(quality: Option<&str>) -> bool {
    matches!(quality, None | Some("grade_a" | "double_yolk"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inventory_is_never_below_zero_and_its_totals_are_exact() {
        let mut inventory = Inventory::default();
        inventory.apply(Movement::Withdrawal, 5);
        assert_eq!(inventory.current_eggs, 0);
        inventory.apply(Movement::Deposit, 100);
        inventory.apply(Movement::TransferOut, 30);
        inventory.apply(Movement::TransferIn, 7);
        inventory.apply(Movement::Consumption, 12);
        let expected = Inventory {
            current_eggs: 65,
            total_deposits: 100,
            total_withdrawals: 5,
            total_transfers_in: 7,
            total_transfers_out: 30,
            total_consumed: 12,
            ..Inventory::default()
        };
        assert_eq!(inventory, expected);
    }

    #[test]
    fn quality_is_weighted_by_eggs() {
        let mut hen = Productivity::default();
        hen.apply(0, true);
        assert_eq!(hen.quality_rate, 1.0);
        hen.apply(3, is_good(Some("cracked")));
        assert_eq!(hen.quality_rate, 0.0, "no eggs before");
        hen.apply(1, is_good(None));
        assert_eq!(
            (hen.total_eggs, hen.quality_rate, hen.avg_per_week),
            (4, 0.25, 4.0)
        );
    }

    #[test]
    fn the_quality_rate_stays_in_range() {
        let mut hen = Productivity::default();
        for eggs in 1..1000 {
            hen.apply(eggs % 7, true);
            assert!((0.0..=1.0).contains(&hen.quality_rate));
        }
    }

    #[test]
    fn output_is_averaged_over_the_hens() {
        let mut output = Output {
            total_hens: 4,
            ..Output::default()
        };
        output.apply(10);
        assert_eq!((output.eggs_month, output.avg_per_hen_per_week), (10, 2.5));
    }
}
